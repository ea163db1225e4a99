// task_entries: the entries that rest on a task, and whether on nothing else
// mode: read
// params: ws string, task string
// returns: id, alone bool
MATCH (:Task {workspaceId: $ws, id: $task})<-[:SUPPORTED_BY]-(n:Entry)
RETURN n.id AS id, n.directAt IS NULL AND COUNT { (n)-[:SUPPORTED_BY]->() } = 1 AS alone
