// task_observations: the observations that rest on a task, and whether on nothing else
// mode: read
// params: ws string, task string
// returns: id, entityId, alone bool
MATCH (:Task {workspaceId: $ws, id: $task})<-[:SUPPORTED_BY]-(o:Observation)
RETURN o.id AS id, o.entityId AS entityId, o.directAt IS NULL AND COUNT { (o)-[:SUPPORTED_BY]->() } = 1 AS alone
