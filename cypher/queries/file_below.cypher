// file_below: the files whose paths begin so, behind a path, by path
// mode: read
// params: ws string, prefix string, after string, limit int
// returns: f
MATCH (f:SourceFile {workspaceId: $ws})
WHERE f.path STARTS WITH $prefix AND f.path > $after
RETURN f
ORDER BY f.path
LIMIT $limit
