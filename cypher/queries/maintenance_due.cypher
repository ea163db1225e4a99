// maintenance_due: the workspaces in which a task is not done for a moment of its schedule, by key
// mode: read
// params: task string, slot datetime, now datetime, rested datetime or null, before which the last run must have begun; once bool, after string, limit int
// returns: w
MATCH (w:Workspace)
WHERE w.key > $after AND w.createdAt < $slot
OPTIONAL MATCH (m:MaintenanceState {workspaceId: w.id, task: $task})
WITH w, m
WHERE m IS NULL
  OR (m.doneSlot IS NULL OR m.doneSlot < $slot) AND NOT ($once AND m.marker IS NOT NULL)
    AND ($rested IS NULL OR m.doneAt IS NULL OR m.doneAt <= $rested) AND (m.retryAt IS NULL OR m.retryAt <= $now) AND (m.holder IS NULL OR m.until <= $now)
RETURN w
ORDER BY w.key
LIMIT $limit
