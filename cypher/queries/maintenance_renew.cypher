// maintenance_renew: lengthens a lease, if its holder still has it
// mode: write
// params: ws string, task string, holder string, term int, until datetime
// returns: term
MATCH (m:MaintenanceState {workspaceId: $ws, task: $task})
SET m.locked = true
REMOVE m.locked
WITH m
WHERE m.holder = $holder AND m.term = $term
SET m.until = $until
RETURN m.term AS term
