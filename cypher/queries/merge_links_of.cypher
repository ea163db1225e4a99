// merge_links_of: what hangs on entities besides edges, observations and names, and the equal link of another one
// mode: read
// params: ids list of string, keep string
// returns: entity, type, outgoing bool, labels, other, props map, twin map or null
MATCH (k:Entity {id: $keep})
UNWIND $ids AS id
MATCH (e:Entity {id: id})-[r]-(n)
WHERE NOT (n:Entity OR n:Observation OR n:Identity OR n:Alias)
OPTIONAL MATCH (k)-[q]-(n)
WHERE type(q) = type(r) AND (startNode(q) = k) = (startNode(r) = e)
RETURN id AS entity, type(r) AS type, startNode(r) = e AS outgoing, labels(n) AS labels, n.id AS other, properties(r) AS props, properties(q) AS twin
ORDER BY entity, type, other
