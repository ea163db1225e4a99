// job_cancel: ends a job that is queued or running
// mode: write
// params: ws string, id string, now datetime
// returns: j
MATCH (j:Job {id: $id})
WHERE j.workspaceId = $ws
SET j.lk = 1
WITH j, j.state IN ['queued', 'running'] AS open
SET j.state = CASE WHEN open THEN 'cancelled' ELSE j.state END, j.finishedAt = CASE WHEN open THEN $now ELSE j.finishedAt END,
    j.owner = CASE WHEN open THEN null ELSE j.owner END, j.leaseUntil = CASE WHEN open THEN null ELSE j.leaseUntil END
RETURN j
