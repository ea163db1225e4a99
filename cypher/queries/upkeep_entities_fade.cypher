// upkeep_entities_fade: lowers the confidence of entities that nobody changed since it was decided; nothing else changes (SPEC G3)
// mode: write
// params: ws string, rows list of {id, was float, to float}, sorted by id; before datetime
// returns: id: what was changed
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
WHERE e.workspaceId = $ws
SET e.locked = true
REMOVE e.locked
WITH e, row
WHERE e.source = 'auto' AND e.confidence = row.was AND coalesce(e.lastSeenAt, e.createdAt) < $before
SET e.confidence = row.to
RETURN e.id AS id
