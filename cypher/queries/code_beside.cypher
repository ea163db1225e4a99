// code_beside: one hop around files: what they import, what imports them, and what their symbols extend, implement or embed, or the other way round
// mode: read
// params: ws string, ids list of string, limit int (of each file and kind of connection)
// returns: id of the file, n
UNWIND $ids AS id
MATCH (f:CodeNode {id: id})
WHERE f.workspaceId = $ws
CALL (f) {
  MATCH (f)-[:CODE_IMPORTS_FILE]-(n:CodeFile)
  RETURN n
  ORDER BY n.path, n.repository
  LIMIT $limit
  UNION
  MATCH (s:CodeSymbol {fileId: f.id})-[:CODE_EXTENDS|CODE_IMPLEMENTS|CODE_EMBEDS]-(o:CodeSymbol)
  WITH DISTINCT o.fileId AS other
  MATCH (n:CodeNode {id: other})
  RETURN n
  ORDER BY n.path, n.repository
  LIMIT $limit
}
WITH DISTINCT id, n
RETURN id, n
ORDER BY n.path, n.repository, id
