// maintenance_list: the runs of a workspace's tasks, newest first
// mode: read
// params: ws string, limit int
// returns: r
MATCH (r:MaintenanceRun {workspaceId: $ws})
WHERE r.startedAt IS NOT NULL
RETURN r
ORDER BY r.startedAt DESC, r.id DESC
LIMIT $limit
