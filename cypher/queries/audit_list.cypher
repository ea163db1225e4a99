// audit_list: a workspace's administrative acts, newest first, behind a position
// mode: read
// params: ws string, at datetime or null, id string, limit int
// returns: a
MATCH (a:AuditEvent {workspaceId: $ws})
WHERE a.at IS NOT NULL AND ($at IS NULL OR a.at < $at OR a.at = $at AND a.id < $id)
RETURN a
ORDER BY a.at DESC, a.id DESC
LIMIT $limit
