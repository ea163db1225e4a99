// file_list: a workspace's files, newest first, behind a position
// mode: read
// params: ws string, at datetime or null, id string, limit int
// returns: f
MATCH (f:SourceFile {workspaceId: $ws})
WHERE f.createdAt IS NOT NULL AND ($at IS NULL OR f.createdAt < $at OR f.createdAt = $at AND f.id < $id)
RETURN f
ORDER BY f.createdAt DESC, f.id DESC
LIMIT $limit
