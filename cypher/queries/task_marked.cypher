// task_marked: those of the tasks whose prompts carry the opt-out marker
// mode: read
// params: ws string, ids list of string
// returns: id
UNWIND $ids AS id
MATCH (t:Task {workspaceId: $ws, id: id})
WHERE t.noMemory
RETURN t.id AS id
