// code_edges_of: the edges that begin at files or at their symbols
// mode: read
// params: ws string, ids list of string
// returns: type, r, a, b
UNWIND $ids AS id
CALL (id) {
  MATCH (a:CodeNode {id: id})
  RETURN a
  UNION
  MATCH (a:CodeSymbol {fileId: id})
  RETURN a
}
WITH a
WHERE a.workspaceId = $ws
MATCH (a)-[r]->(b:CodeNode)
RETURN type(r) AS type, r, a {.path, .qualifiedName, .kind} AS a, b {.path, .qualifiedName, .kind, .importPath} AS b
