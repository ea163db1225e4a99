// task_edges: the edges that rest on a task, and whether on nothing else
// mode: read
// params: ws string, task string
// returns: id, src, dst, alone bool
MATCH (:Task {workspaceId: $ws, id: $task})<-[:SUPPORTED_BY]-(f:Fact)
RETURN f.id AS id, f.src AS src, f.dst AS dst, f.directAt IS NULL AND COUNT { (f)-[:SUPPORTED_BY]->() } = 1 AS alone
