// cleanup_unkey: takes their key away from entities that are about to go into others
// mode: write
// params: ws string, rows list of {id, key}
// returns: nothing
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
WHERE e.workspaceId = $ws
SET e.normalizedName = row.key
REMOVE e.discriminator
