// job_finish: ends a job
// mode: write
// params: id string, owner string, state string, error string or null, now datetime
// returns: id
MATCH (j:Job {id: $id})
WHERE j.owner = $owner AND j.state = 'running'
SET j.state = $state, j.finishedAt = $now, j.leaseUntil = null, j.owner = null, j.lastError = coalesce($error, j.lastError)
RETURN j.id AS id
