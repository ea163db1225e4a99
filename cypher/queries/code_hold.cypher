// code_hold: lengthens a run's hold of a repository, if it still has it, and keeps other writers waiting
// mode: write
// params: ws string, repository string, owner string, until datetime
// returns: name
MATCH (r:CodeRepository {workspaceId: $ws, name: $repository})
SET r.lk = 1
WITH r
WHERE r.owner = $owner
SET r.leaseUntil = $until
RETURN r.name AS name
