// workspace_create: makes a workspace, unless its key is taken
// mode: write
// params: key string, props map
// returns: id of the workspace that has the key
MERGE (w:Workspace {key: $key})
ON CREATE SET w = $props
RETURN w.id AS id
