// merge_lock: locks a merge and then reads it
// mode: write
// params: ws string, id string
// returns: m
MATCH (m:Merge {id: $id})
WHERE m.workspaceId = $ws
SET m.locked = true
REMOVE m.locked
RETURN m
