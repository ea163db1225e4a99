// recall_sizes: how many edges or observations a workspace has, by which a search chooses its way
// mode: read
// params: ws string
// returns: workspace
MATCH (n:{{kind}} {workspaceId: $ws})
WHERE n.createdAt IS NOT NULL
RETURN count(n) AS workspace
