// maintenance_release: gives a lease back, if its holder still has it
// mode: write
// params: ws string, task string, holder string, term int, retryAt datetime or null
// returns: term
MATCH (m:MaintenanceState {workspaceId: $ws, task: $task})
SET m.locked = true
REMOVE m.locked
WITH m
WHERE m.holder = $holder AND m.term = $term
SET m.holder = null, m.until = null, m.retryAt = $retryAt
RETURN m.term AS term
