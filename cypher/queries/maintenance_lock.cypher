// maintenance_lock: locks the state of a task in a workspace, which it makes where there is none, and reads it with its unfinished run
// mode: write
// params: ws string, task string
// returns: m, r or null
MERGE (m:MaintenanceState {workspaceId: $ws, task: $task})
ON CREATE SET m.name = $task, m.term = 0
SET m.locked = true
REMOVE m.locked
WITH m
OPTIONAL MATCH (r:MaintenanceRun {id: m.runId})
WHERE r.workspaceId = $ws
RETURN m, r
