// merge_entries_by_ids: entries by id, locked in the order of their ids and then read
// mode: write
// params: ws string, ids list of string
// returns: id, contactIds
UNWIND $ids AS id
MATCH (n:Entry {id: id})
WHERE n.workspaceId = $ws
WITH DISTINCT n
ORDER BY n.id
SET n.locked = true
REMOVE n.locked
RETURN n.id AS id, n.contactIds AS contactIds
