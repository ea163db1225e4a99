// job_by_ids: the jobs of ids
// mode: read
// params: ws string, ids list of string
// returns: j
UNWIND $ids AS id
MATCH (j:Job {id: id})
WHERE j.workspaceId = $ws
RETURN j
