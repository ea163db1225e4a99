// erase_archives: the merges of others in which something of some entities was kept, locked and then read
// mode: write
// params: ws string, ids list of string
// returns: id, archive
MATCH (m:Merge {workspaceId: $ws})
WHERE any(id IN $ids WHERE m.archive CONTAINS id)
WITH m
ORDER BY m.id
SET m.locked = true
REMOVE m.locked
RETURN m.id AS id, m.archive AS archive
