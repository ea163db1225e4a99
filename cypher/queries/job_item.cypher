// job_item: notes what became of items and counts them, once; only for the worker that has the job
// mode: write
// params: id string, owner string, items list of {key, props map, extracted int, skipped int, errors int, error string or null, counts list of {key, n}}
// returns: held
MATCH (j:Job {id: $id})
SET j.lk = 1
WITH j, j.owner = $owner AND j.state = 'running' AS held
CALL (j, held) {
  WITH j WHERE held
  UNWIND $items AS item
  MERGE (i:JobItem {jobId: j.id, key: item.key})
  WITH j, item, i, i.at IS NULL AS fresh
  SET i += item.props
  MERGE (i)-[:ITEM_OF]->(j)
  WITH j, item, fresh WHERE fresh
  WITH j, collect(item) AS items
  SET j.scanned = j.scanned + size(items), j.extracted = j.extracted + reduce(n = 0, x IN items | n + x.extracted),
      j.skipped = j.skipped + reduce(n = 0, x IN items | n + x.skipped), j.errors = j.errors + reduce(n = 0, x IN items | n + x.errors),
      j.lastError = coalesce(last([x IN items WHERE x.error IS NOT NULL | x.error]), j.lastError)
  FOREACH (x IN items | FOREACH (c IN x.counts | SET j['count_' + c.key] = coalesce(j['count_' + c.key], 0) + c.n))
  RETURN count(*) AS counted
}
RETURN held
