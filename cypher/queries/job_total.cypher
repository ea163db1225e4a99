// job_total: notes how many items a job has
// mode: write
// params: id string, owner string, total int
// returns: nothing
MATCH (j:Job {id: $id})
WHERE j.owner = $owner
SET j.total = $total
