// job_count: the number of a workspace's jobs, or of one kind's
// mode: read
// params: ws string, kind string
// returns: count
MATCH (j:Job {workspaceId: $ws})
WHERE j.createdAt IS NOT NULL AND ($kind = '' OR j.kind = $kind)
RETURN count(j) AS count
