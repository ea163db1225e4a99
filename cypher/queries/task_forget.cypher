// task_forget: takes the note away from entities that a task wrote them first
// mode: write
// params: ws string, ids list of string
// returns: nothing
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.workspaceId = $ws
REMOVE e.taskId
