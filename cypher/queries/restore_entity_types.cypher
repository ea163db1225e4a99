// restore_entity_types: makes entity types what an export says they are; one whose id is taken keeps its own
// mode: write
// params: ws string, rows list of {key, id, set map}
// returns: nothing
UNWIND $rows AS row
MERGE (t:EntityType {workspaceId: $ws, key: row.key})
ON CREATE SET t.name = row.key
SET t += row.set
WITH t, row
WHERE NOT EXISTS { MATCH (:EntityType {id: row.id}) }
SET t.id = row.id
