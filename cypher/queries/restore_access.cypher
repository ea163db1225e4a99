// restore_access: sets how often entries were recalled, and when last
// mode: write
// params: rows list of {id, count, at datetime or null}
// returns: nothing
UNWIND $rows AS row
MATCH (n:Entry {id: row.id})
SET n.accessCount = row.count, n.lastAccessedAt = row.at
