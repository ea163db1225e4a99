// entity_type_merge: stores entity types of a workspace
// mode: write
// params: ws string, rows list of {key, create map, set map}
// returns: nothing
UNWIND $rows AS row
MERGE (t:EntityType {workspaceId: $ws, key: row.key})
ON CREATE SET t += row.create
SET t += row.set
