// workspace_delete: removes a workspace with its types; what it holds is gone before
// mode: write
// params: ws string
// returns: nothing
MATCH (w:Workspace {id: $ws})
CALL (w) {
  MATCH (t:EntityType {workspaceId: w.id})
  WHERE t.key IS NOT NULL
  DETACH DELETE t
}
CALL (w) {
  MATCH (t:EdgeType {workspaceId: w.id})
  WHERE t.key IS NOT NULL
  DETACH DELETE t
}
DETACH DELETE w
