// observation_delete: removes observations
// mode: write
// params: ws string, ids list of string
// returns: deleted
UNWIND $ids AS id
MATCH (o:Observation {id: id})
WHERE o.workspaceId = $ws
DETACH DELETE o
RETURN count(*) AS deleted
