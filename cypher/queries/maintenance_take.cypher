// maintenance_take: takes the lease of a task whose state is locked, for a new term
// mode: write
// params: ws string, task string, holder string, until datetime, runId string or null
// returns: term
MATCH (m:MaintenanceState {workspaceId: $ws, task: $task})
SET m.holder = $holder, m.until = $until, m.term = m.term + 1, m.runId = $runId
RETURN m.term AS term
