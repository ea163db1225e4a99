// observation_count: how many observations each of some entities has
// mode: read
// params: ws string, ids list of string
// returns: id, count
UNWIND $ids AS id
MATCH (o:Observation {entityId: id})
WHERE o.observedAt IS NOT NULL AND o.workspaceId = $ws
RETURN id, count(o) AS count
