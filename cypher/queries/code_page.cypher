// code_page: the files of a repository by path, behind one
// mode: read
// params: ws string, repository string, after string, limit int
// returns: n
MATCH (n:CodeFile {workspaceId: $ws, repository: $repository})
WHERE n.path > $after
RETURN n
ORDER BY n.path
LIMIT $limit
