// restore_workspace: gives an empty workspace another id, unless that is taken or jobs know the one it has
// mode: write
// params: ws string, id string
// returns: id that the workspace has now
MATCH (w:Workspace {id: $ws})
WITH w, EXISTS { MATCH (:Workspace {id: $id}) } OR EXISTS { MATCH (j:Job) WHERE j.workspaceId = $ws AND j.createdAt IS NOT NULL } AS taken
WITH w, CASE WHEN taken THEN $ws ELSE $id END AS id
SET w.id = id
WITH id
CALL (id) {
  MATCH (t:EntityType {workspaceId: $ws})
  WHERE t.key IS NOT NULL
  SET t.workspaceId = id
}
CALL (id) {
  MATCH (t:EdgeType {workspaceId: $ws})
  WHERE t.key IS NOT NULL
  SET t.workspaceId = id
}
CALL (id) {
  MATCH (a:AuditEvent {workspaceId: $ws})
  WHERE a.at IS NOT NULL
  SET a.workspaceId = id
}
CALL (id) {
  MATCH (k:IdempotencyKey {workspaceId: $ws})
  SET k.workspaceId = id
}
RETURN id
