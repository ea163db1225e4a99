// code_imports_of: what files import, by path
// mode: read
// params: ws string, ids list of string, limit int (of each file)
// returns: id of the file, n, r
UNWIND $ids AS id
MATCH (f:CodeNode {id: id})
WHERE f.workspaceId = $ws
CALL (f) {
  MATCH (f)-[r:CODE_IMPORTS_FILE]->(n:CodeFile)
  RETURN r, n
  ORDER BY n.path, r.specifier
  LIMIT $limit
}
RETURN id, n, r
ORDER BY id, n.path, r.specifier
