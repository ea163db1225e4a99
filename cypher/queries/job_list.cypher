// job_list: a workspace's jobs, newest first, behind a position; of one kind where it is named
// mode: read
// params: ws string, kind string, at datetime or null, id string, limit int
// returns: j
MATCH (j:Job {workspaceId: $ws})
WHERE j.createdAt IS NOT NULL AND ($kind = '' OR j.kind = $kind) AND ($at IS NULL OR j.createdAt < $at OR j.createdAt = $at AND j.id < $id)
RETURN j
ORDER BY j.createdAt DESC, j.id DESC
LIMIT $limit
