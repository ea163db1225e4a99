// workspace_get: the workspace of a key
// mode: read
// params: key string
// returns: w
MATCH (w:Workspace {key: $key})
RETURN w
