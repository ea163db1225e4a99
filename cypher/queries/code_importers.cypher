// code_importers: one hop back along imports: the files that import files
// mode: read
// params: ws string, ids list of string, limit int (of each file)
// returns: n
UNWIND $ids AS id
MATCH (f:CodeNode {id: id})
WHERE f.workspaceId = $ws
CALL (f) {
  MATCH (f)<-[:CODE_IMPORTS_FILE]-(n:CodeFile)
  RETURN n
  ORDER BY n.path, n.repository
  LIMIT $limit
}
RETURN DISTINCT n
ORDER BY n.path, n.repository
