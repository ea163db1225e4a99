// server_gauges: what is open in the whole database, for those who operate it
// mode: read
// params: none
// returns: awaiting, entries, edges and observations that wait for a vector; jobs list of {state, count}, those that are not done; tasks list of {task, doneAt}, when each was last done in some workspace
CALL () {
  MATCH (n:Entry) WHERE n.awaitsVector IS NOT NULL
  RETURN count(n) AS entries
}
CALL () {
  MATCH (n:Fact) WHERE n.awaitsVector IS NOT NULL
  RETURN count(n) AS edges
}
CALL () {
  MATCH (n:Observation) WHERE n.awaitsVector IS NOT NULL
  RETURN count(n) AS observations
}
CALL () {
  MATCH (j:Job)
  WHERE j.state IN ['queued', 'running']
  WITH j.state AS state, count(j) AS count
  RETURN collect({state: state, count: count}) AS jobs
}
CALL () {
  MATCH (m:MaintenanceState)
  WHERE m.doneAt IS NOT NULL
  WITH m.task AS task, max(m.doneAt) AS doneAt
  RETURN collect({task: task, doneAt: doneAt}) AS tasks
}
RETURN {entry: entries, edge: edges, observation: observations} AS awaiting, jobs, tasks
