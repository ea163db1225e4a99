// erase_merges: removes the merges of some entities with all that was kept of them
// mode: write
// params: ws string, ids list of string
// returns: nothing
MATCH (m:Merge {workspaceId: $ws})
WHERE any(id IN $ids WHERE id IN m.entityIds)
DETACH DELETE m
