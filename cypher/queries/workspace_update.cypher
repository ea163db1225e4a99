// workspace_update: stores a workspace's name, settings and switches
// mode: write
// params: id string, props map
// returns: nothing
MATCH (w:Workspace {id: $id})
SET w += $props
