// mention_names: the entities that have one of the given names, as their own, as an alias, or before a qualifier in brackets
// mode: read
// params: ws string, keys list of string, normalised
// returns: id, name
UNWIND $keys AS key
CALL (key) {
  MATCH (e:Entity {workspaceId: $ws, normalizedName: key})
  RETURN e.id AS id, e.name AS name
  UNION
  MATCH (a:Alias {workspaceId: $ws, key: key})-[:ALIAS_OF]->(e:Entity)
  RETURN e.id AS id, a.name AS name
  UNION
  MATCH (e:Entity {workspaceId: $ws})
  WHERE e.normalizedName STARTS WITH key + ' ('
  WITH e
  LIMIT 8
  RETURN e.id AS id, e.name AS name
}
RETURN DISTINCT id, name
