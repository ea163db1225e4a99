// file_by_path: the file of a path, locked
// mode: write
// params: ws string, path string
// returns: f
MATCH (f:SourceFile {workspaceId: $ws, path: $path})
SET f.lk = 1
RETURN f
