// maintenance_done: notes that a task came to its end, if its holder still has the lease, which it gives back
// mode: write
// params: ws string, task string, holder string, term int, slot datetime or null, doneAt datetime, marker string or null, markedAt datetime, counts string
// returns: term
MATCH (m:MaintenanceState {workspaceId: $ws, task: $task})
SET m.locked = true
REMOVE m.locked
WITH m
WHERE m.holder = $holder AND m.term = $term
SET m.holder = null, m.until = null, m.runId = null, m.retryAt = null, m.doneAt = $doneAt, m.doneSlot = coalesce($slot, m.doneSlot)
FOREACH (marker IN CASE WHEN $marker IS NULL THEN [] ELSE [$marker] END |
  SET m.marker = marker, m.markedAt = $markedAt, m.markerCounts = $counts)
RETURN m.term AS term
