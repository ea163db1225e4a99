// job_items_count: the number of a job's items that have an outcome, or of one state's
// mode: read
// params: id string, state string
// returns: count
MATCH (i:JobItem {jobId: $id})
WHERE i.key IS NOT NULL AND ($state = '' OR i.state = $state)
RETURN count(i) AS count
