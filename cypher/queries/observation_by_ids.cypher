// observation_by_ids: observations by id
// mode: read
// params: ws string, ids list of string
// returns: o
UNWIND $ids AS id
MATCH (o:Observation {id: id})
WHERE o.workspaceId = $ws
RETURN o {.id, .workspaceId, .entityId, .text, .source, .fingerprint, .observedAt, .createdAt} AS o
