// entity_identify: gives entities identities that nobody has; a taken one breaks the unique key
// mode: write
// params: ws string, rows list of {id, kind, value}
// returns: nothing
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
CREATE (i:Identity {workspaceId: $ws, kind: row.kind, value: row.value, name: row.value})
CREATE (i)-[:IDENTIFIES]->(e)
