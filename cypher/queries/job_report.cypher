// job_report: sets how far a job is, for work that is counted as a whole; only for the worker that has the job
// mode: write
// params: id string, owner string, props map, counts list of {key, n}
// returns: id
MATCH (j:Job {id: $id})
WHERE j.owner = $owner AND j.state = 'running'
SET j += $props
FOREACH (c IN $counts | SET j['count_' + c.key] = c.n)
RETURN j.id AS id
