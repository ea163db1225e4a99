// audit_count: the number of a workspace's administrative acts
// mode: read
// params: ws string
// returns: count
MATCH (a:AuditEvent {workspaceId: $ws})
WHERE a.at IS NOT NULL
RETURN count(a) AS count
