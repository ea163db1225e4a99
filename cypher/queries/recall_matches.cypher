// recall_matches: the entities that are called as slugs say, by their names or aliases
// mode: read
// params: ws string, slugs list of {slug, key}, the key being the slug with spaces
// returns: id, name, type
UNWIND $slugs AS s
CALL (s) {
  MATCH (e:Entity {workspaceId: $ws, slug: s.slug})
  RETURN e
  UNION
  MATCH (:Alias {workspaceId: $ws, key: s.key})-[:ALIAS_OF]->(e:Entity)
  RETURN e
  UNION
  MATCH (:Alias {workspaceId: $ws, key: s.slug})-[:ALIAS_OF]->(e:Entity)
  RETURN e
}
WITH DISTINCT e
RETURN e.id AS id, e.name AS name, e.type AS type
ORDER BY id
LIMIT 50
