// entry_lock: locks entries in the order of their ids, and then reads them
// mode: write
// params: ws string, ids list of string
// returns: n, mentionIds
UNWIND $ids AS id
MATCH (n:Entry {id: id})
WHERE n.workspaceId = $ws
WITH DISTINCT n
ORDER BY n.id
SET n.locked = true
REMOVE n.locked
RETURN {{entry}}
