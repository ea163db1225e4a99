// job_claim: takes the oldest job that nobody works on, or a certain one, in hand
// mode: write
// params: id string, owner string, now datetime, until datetime
// returns: j
MATCH (j:Job)
WHERE j.state IN ['queued', 'running'] AND (j.id = $id OR $id = '' AND NOT j.local)
  AND (j.leaseUntil IS NULL OR j.leaseUntil <= $now)
WITH j ORDER BY j.createdAt, j.id LIMIT 1
SET j.lk = 1
WITH j
WHERE j.state IN ['queued', 'running'] AND (j.leaseUntil IS NULL OR j.leaseUntil <= $now)
SET j.state = 'running', j.owner = $owner, j.leaseUntil = $until, j.startedAt = coalesce(j.startedAt, $now)
RETURN j
