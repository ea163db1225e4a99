// entity_lock: locks entities, in the order of their ids, and then reads them
// mode: write
// params: ws string, ids list of string
// returns: e, identities
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.workspaceId = $ws
WITH DISTINCT e
ORDER BY e.id
SET e.locked = true
REMOVE e.locked
RETURN e, [(i:Identity)-[:IDENTIFIES]->(e) | i {.kind, .value}] AS identities
