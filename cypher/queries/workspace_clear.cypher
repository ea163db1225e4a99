// workspace_clear: removes a batch of what a workspace holds, by label
// mode: write
// params: ws string, limit int
// returns: deleted
MATCH (n:{{label}} {workspaceId: $ws})
WHERE n.{{indexed}} IS NOT NULL
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS deleted
