// job_release: gives a job back to whoever works on it next
// mode: write
// params: id string, owner string, error string or null
// returns: nothing
MATCH (j:Job {id: $id})
WHERE j.owner = $owner AND j.state = 'running'
SET j.leaseUntil = null, j.owner = null, j.lastError = coalesce($error, j.lastError)
