// workspace_by_ids: the workspaces of ids
// mode: read
// params: ids list of string
// returns: w
UNWIND $ids AS id
MATCH (w:Workspace {id: id})
RETURN w
