// restore_taken: which ids are taken, and by which workspaces
// mode: read
// params: ids list of string
// returns: id, workspaceId
UNWIND $ids AS id
MATCH (n:{{label}} {id: id})
RETURN id, n.workspaceId AS workspaceId
