// job_items: what became of a job's items, in their order, behind a position; of one state where it is named
// mode: read
// params: id string, state string, after string, limit int
// returns: i
MATCH (i:JobItem {jobId: $id})
WHERE i.key > $after AND ($state = '' OR i.state = $state)
RETURN i
ORDER BY i.key
LIMIT $limit
