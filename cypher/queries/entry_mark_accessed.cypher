// entry_mark_accessed: counts that entries were recalled (SPEC G15); ids that are gone are passed over
// mode: write
// params: rows list of {ws, id, count, at}, sorted by id
// returns: nothing
UNWIND $rows AS row
MATCH (n:Entry {id: row.id})
WHERE n.workspaceId = row.ws
SET n.accessCount = coalesce(n.accessCount, 0) + row.count,
  n.lastAccessedAt = CASE WHEN n.lastAccessedAt IS NULL OR n.lastAccessedAt < row.at THEN row.at ELSE n.lastAccessedAt END
