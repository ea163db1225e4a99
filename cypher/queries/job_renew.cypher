// job_renew: lengthens a worker's lease of a job, if it still has it and the job is not cancelled
// mode: write
// params: id string, owner string, until datetime
// returns: id
MATCH (j:Job {id: $id})
WHERE j.owner = $owner AND j.state = 'running'
SET j.leaseUntil = $until
RETURN j.id AS id
