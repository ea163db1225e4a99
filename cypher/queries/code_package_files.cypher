// code_package_files: the files of packages: those in its folder, or all below it, by path
// mode: read
// params: ws string, ids list of string, limit int (of each package)
// returns: id of the package, n
UNWIND $ids AS id
MATCH (p:CodeNode {id: id})
WHERE p.workspaceId = $ws
CALL (p) {
  WITH p WHERE NOT p.nested
  MATCH (n:CodeFile {workspaceId: p.workspaceId, repository: p.repository, folder: p.path})
  WHERE n.language = 'go'
  RETURN n
  UNION
  WITH p WHERE p.nested
  MATCH (n:CodeFile {workspaceId: p.workspaceId, repository: p.repository})
  WHERE n.path STARTS WITH p.below
  RETURN n
}
WITH id, n
ORDER BY n.path
WITH id, collect(n)[..$limit] AS files
UNWIND files AS n
RETURN id, n
ORDER BY id, n.path
