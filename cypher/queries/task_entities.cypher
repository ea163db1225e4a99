// task_entities: the entities that a task wrote first, locked, and whether nothing holds them any more (SPEC R2)
// mode: write
// params: ws string, task string
// returns: id, orphan bool
MATCH (e:Entity {workspaceId: $ws, taskId: $task})
WITH e
ORDER BY e.id
SET e.locked = true
REMOVE e.locked
RETURN e.id AS id, e.directAt IS NULL AND NOT EXISTS {
  (e)--(n)
  WHERE n:Entity OR n:Observation OR n:Entry OR n:Document OR n:Task OR n:Message
} AS orphan
