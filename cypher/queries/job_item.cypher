// job_item: notes what became of an item and counts it, once; only for the worker that has the job
// mode: write
// params: id string, owner string, key string, props map, extracted int, skipped int, errors int, error string or null, counts list of {key, n}
// returns: held
MATCH (j:Job {id: $id})
SET j.lk = 1
WITH j, j.owner = $owner AND j.state = 'running' AS held
CALL (j, held) {
  WITH j WHERE held
  MERGE (i:JobItem {jobId: j.id, key: $key})
  WITH j, i, i.at IS NULL AS fresh
  SET i += $props
  MERGE (i)-[:ITEM_OF]->(j)
  WITH j, fresh WHERE fresh
  SET j.scanned = j.scanned + 1, j.extracted = j.extracted + $extracted, j.skipped = j.skipped + $skipped, j.errors = j.errors + $errors,
      j.lastError = coalesce($error, j.lastError)
  FOREACH (c IN $counts | SET j['count_' + c.key] = coalesce(j['count_' + c.key], 0) + c.n)
  RETURN count(*) AS counted
}
RETURN held
