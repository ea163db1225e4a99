// code_by_ids: the nodes of ids
// mode: read
// params: ws string, ids list of string
// returns: n
UNWIND $ids AS id
MATCH (n:CodeNode {id: id})
WHERE n.workspaceId = $ws
RETURN n
