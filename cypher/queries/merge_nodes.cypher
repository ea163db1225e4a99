// merge_nodes: entities with all that is stored of them
// mode: read
// params: ws string, ids list of string
// returns: labels, props map, identities list of {kind, value}
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.workspaceId = $ws
RETURN labels(e) AS labels, properties(e) AS props, [(i:Identity)-[:IDENTIFIES]->(e) | i {.kind, .value}] AS identities
