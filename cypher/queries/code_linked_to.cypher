// code_linked_to: the nodes that edges of one type lead to from nodes
// mode: read
// params: ws string, ids list of string, limit int (of each node)
// returns: id of the node, n
UNWIND $ids AS id
MATCH (a:CodeNode {id: id})
WHERE a.workspaceId = $ws
CALL (a) {
  MATCH (a)-[:{{type}}]->(n:CodeNode)
  RETURN DISTINCT n
  ORDER BY n.path, n.line, n.qualifiedName, n.id
  LIMIT $limit
}
RETURN id, n
ORDER BY id, n.path, n.line, n.qualifiedName, n.id
