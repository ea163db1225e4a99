// task_lock: locks a task, where there is one
// mode: write
// params: ws string, task string
// returns: task
MATCH (t:Task {workspaceId: $ws, id: $task})
SET t.locked = true
REMOVE t.locked
RETURN t.id AS task
