// code_claim: takes a repository in hand for one run, unless another run has it
// mode: write
// params: ws string, repository string, owner string, now datetime, until datetime
// returns: held, digest
MATCH (w:Workspace {id: $ws})
MERGE (r:CodeRepository {workspaceId: w.id, name: $repository})
ON CREATE SET r.files = 0, r.symbols = 0, r.edgeCounts = '{}', r.languages = '{}'
SET r.lk = 1
WITH r, r.owner IS NULL OR r.owner = $owner OR r.leaseUntil <= $now AS held
SET r.owner = CASE WHEN held THEN $owner ELSE r.owner END, r.leaseUntil = CASE WHEN held THEN $until ELSE r.leaseUntil END
RETURN held, r.digest AS digest
