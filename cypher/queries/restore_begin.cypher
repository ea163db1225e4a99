// restore_begin: marks a workspace that holds nothing as one that an export is restored into, or finds that mark
// mode: write
// params: ws string, mark string
// returns: raw, whether the workspace carries the mark
MATCH (w:Workspace {id: $ws})
SET w.restoring = coalesce(w.restoring, '')
WITH w,
  EXISTS { MATCH (n:Entity {workspaceId: $ws}) WHERE n.createdAt IS NOT NULL } OR EXISTS { MATCH (n:Entry {workspaceId: $ws}) WHERE n.createdAt IS NOT NULL } OR EXISTS { MATCH (n:Message {workspaceId: $ws}) WHERE n.sentAt IS NOT NULL }
  OR EXISTS { MATCH (n:Observation {workspaceId: $ws}) WHERE n.createdAt IS NOT NULL } OR EXISTS { MATCH (n:SourceFile {workspaceId: $ws}) WHERE n.createdAt IS NOT NULL } AS holds
SET w.restoring = CASE WHEN w.restoring = '' AND NOT holds THEN $mark ELSE w.restoring END
RETURN w.restoring = $mark AS raw
