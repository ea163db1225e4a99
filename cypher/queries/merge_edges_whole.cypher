// merge_edges_whole: edges of entities with all that is stored of them, to be kept before they are dropped
// mode: read
// params: entities list of string, wanted map by edge id
// returns: labels, fact map, type, rel map, supports list of {label, id, props map}
UNWIND $entities AS entity
MATCH (:Entity {id: entity})-[r]-(:Entity)
WHERE $wanted[r.id] IS NOT NULL
WITH DISTINCT r
MATCH (f:Fact {id: r.id})
RETURN labels(f) AS labels, properties(f) AS fact, type(r) AS type, properties(r) AS rel,
  [(f)-[s:SUPPORTED_BY]->(d) | {label: labels(d)[0], id: d.id, props: properties(s)}] AS supports
ORDER BY f.id
