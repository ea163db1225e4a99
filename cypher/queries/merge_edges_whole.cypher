// merge_edges_whole: edges with all that is stored of them, to be kept before they are dropped
// mode: read
// params: ws string, ids list of string
// returns: labels, fact map, type, rel map, supports list of {label, id, props map}
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.workspaceId = $ws
MATCH (a:Entity {id: f.src})
MATCH (b:Entity {id: f.dst})
MATCH (a)-[r]->(b)
WHERE r.id = id
RETURN labels(f) AS labels, properties(f) AS fact, type(r) AS type, properties(r) AS rel,
  [(f)-[s:SUPPORTED_BY]->(d) | {label: labels(d)[0], id: d.id, props: properties(s)}] AS supports
