// code_symbols_of: the symbols of files, by line
// mode: read
// params: ws string, ids list of string, limit int (of each file)
// returns: id of the file, n
UNWIND $ids AS id
CALL (id) {
  MATCH (s:CodeSymbol {fileId: id})
  WHERE s.workspaceId = $ws
  RETURN s
  ORDER BY s.line, s.qualifiedName, s.kind
  LIMIT $limit
}
RETURN id, s AS n
ORDER BY id, n.line, n.qualifiedName, n.kind
