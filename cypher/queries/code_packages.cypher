// code_packages: the packages of a repository
// mode: read
// params: ws string, repository string
// returns: n
MATCH (n:CodePackage {workspaceId: $ws, repository: $repository})
RETURN n
ORDER BY n.importPath
