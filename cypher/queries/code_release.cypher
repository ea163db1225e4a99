// code_release: gives a repository back
// mode: write
// params: ws string, repository string, owner string
// returns: nothing
MATCH (r:CodeRepository {workspaceId: $ws, name: $repository})
WHERE r.owner = $owner
SET r.owner = null, r.leaseUntil = null
