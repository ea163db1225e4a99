// task_unsupport: takes a task's support away from all that is left of what rested on it
// mode: write
// params: ws string, task string
// returns: supports, how many there were
MATCH (:Task {workspaceId: $ws, id: $task})<-[r:SUPPORTED_BY]-()
DELETE r
RETURN count(*) AS supports
