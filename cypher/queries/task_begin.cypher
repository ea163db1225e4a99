// task_begin: notes a task and whether any of its prompts carries the opt-out marker
// mode: write
// params: ws string, id string, noMemory boolean, at datetime
// returns: noMemory
MERGE (t:Task {workspaceId: $ws, id: $id})
ON CREATE SET t.name = $id
SET t.begunAt = coalesce(t.begunAt, $at), t.noMemory = coalesce(t.noMemory, false) OR $noMemory
RETURN t.noMemory AS noMemory
