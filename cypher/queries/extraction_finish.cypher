// extraction_finish: ends the claim of an owner with what became of it
// mode: write
// params: ws string, key string, owner string, props map
// returns: nothing
MATCH (x:Extraction {workspaceId: $ws, key: $key})
WHERE x.owner = $owner
SET x += $props
REMOVE x.leaseUntil, x.owner
