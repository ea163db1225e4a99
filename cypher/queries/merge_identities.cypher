// merge_identities: gives identities to other entities
// mode: write
// params: ws string, rows list of {kind, value, to}
// returns: nothing
UNWIND $rows AS row
MATCH (i:Identity {workspaceId: $ws, kind: row.kind, value: row.value})-[r:IDENTIFIES]->(:Entity)
DELETE r
WITH i, row
MATCH (e:Entity {id: row.to})
CREATE (i)-[:IDENTIFIES]->(e)
