// merge_observations_of: the observations of entities
// mode: read
// params: ws string, ids list of string
// returns: o
UNWIND $ids AS id
MATCH (o:Observation {entityId: id})
WHERE o.observedAt IS NOT NULL AND o.workspaceId = $ws
RETURN o {.id, .workspaceId, .entityId, .text, .source, .fingerprint, .observedAt, .createdAt} AS o
ORDER BY o.id
