// node_workspace: the workspace that holds a node of an id
// mode: read
// params: id string
// returns: ws
MATCH (n:{{label}} {id: $id})
RETURN n.workspaceId AS ws
