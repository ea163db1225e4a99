// upkeep_entries_fade: lowers the confidence of entries that nobody validated or edited since it was decided (SPEC G13)
// mode: write
// params: ws string, rows list of {id, was float, to float, validatedAt datetime}, sorted by id; now datetime
// returns: id: what was changed
UNWIND $rows AS row
MATCH (n:Entry {id: row.id})
WHERE n.workspaceId = $ws
SET n.locked = true
REMOVE n.locked
WITH n, row
WHERE n.confidence = row.was AND n.lastValidatedAt = row.validatedAt
SET n.confidence = row.to, n.updatedAt = $now
RETURN n.id AS id
