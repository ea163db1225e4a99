// node_workspace: the workspaces that hold nodes
// mode: read
// params: ids list of string
// returns: id, ws
UNWIND $ids AS id
MATCH (n:{{label}} {id: id})
RETURN id, n.workspaceId AS ws
