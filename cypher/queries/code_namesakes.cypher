// code_namesakes: the entities that are called as a symbol is, by their names or aliases
// mode: read
// params: ws string, names list of {slug, keys}, the keys being normalised names of that slug
// returns: slug, id
UNWIND $names AS s
CALL (s) {
  MATCH (e:Entity {workspaceId: $ws, slug: s.slug})
  RETURN e
  UNION
  UNWIND s.keys AS key
  MATCH (:Alias {workspaceId: $ws, key: key})-[:ALIAS_OF]->(e:Entity)
  RETURN e
}
WITH s, e
ORDER BY e.id
LIMIT 500
RETURN s.slug AS slug, e.id AS id
