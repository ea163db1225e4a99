// job_items_done: those of the keys whose items are done, skipped or failed
// mode: read
// params: id string, keys list of string
// returns: key
UNWIND $keys AS key
MATCH (i:JobItem {jobId: $id, key: key})
RETURN i.key AS key
