// maintenance_prune: forgets the older runs of a task
// mode: write
// params: ws string, task string, keep int
// returns: removed
MATCH (r:MaintenanceRun {workspaceId: $ws})
WHERE r.startedAt IS NOT NULL AND r.task = $task AND r.finishedAt IS NOT NULL
WITH r
ORDER BY r.startedAt DESC, r.id DESC
SKIP $keep
DELETE r
RETURN count(*) AS removed
