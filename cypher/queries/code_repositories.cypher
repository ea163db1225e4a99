// code_repositories: the repositories of a workspace with what they hold
// mode: read
// params: ws string
// returns: r
MATCH (r:CodeRepository {workspaceId: $ws})
WHERE r.name IS NOT NULL
RETURN r
ORDER BY r.name
