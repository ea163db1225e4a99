// file_count: the number of a workspace's files
// mode: read
// params: ws string
// returns: count
MATCH (f:SourceFile {workspaceId: $ws})
WHERE f.createdAt IS NOT NULL
RETURN count(f) AS count
