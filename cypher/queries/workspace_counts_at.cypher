// workspace_counts_at: the edges of a workspace that are visible at a moment, by type
// mode: read
// params: ws string, asOf datetime, knownAt datetime or null
// returns: key, count
MATCH (r:Fact {workspaceId: $ws})
WHERE r.createdAt IS NOT NULL AND {{visible}}
WITH r.type AS key, count(*) AS count
RETURN key, count
ORDER BY count DESC, key
