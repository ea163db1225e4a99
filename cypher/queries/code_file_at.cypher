// code_file_at: the files of a path in repositories
// mode: read
// params: ws string, repositories list of string, path string
// returns: n
UNWIND $repositories AS repository
MATCH (n:CodeFile {workspaceId: $ws, repository: repository, path: $path})
RETURN n
