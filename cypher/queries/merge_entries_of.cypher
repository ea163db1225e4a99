// merge_entries_of: the entries about entities, locked in the order of their ids and then read
// mode: write
// params: ws string, ids list of string
// returns: id, contactIds
UNWIND $ids AS id
MATCH (:Entity {id: id})<-[:ABOUT]-(n:Entry)
WHERE n.workspaceId = $ws
WITH DISTINCT n
ORDER BY n.id
SET n.locked = true
REMOVE n.locked
RETURN n.id AS id, n.contactIds AS contactIds
