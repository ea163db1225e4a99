// cleanup_repeated: the entities that have observations of one text
// mode: read
// params: ws string
// returns: id
MATCH (o:Observation {workspaceId: $ws})
WITH o.entityId AS id, count(o) AS observations, count(DISTINCT o.contentFingerprint) AS texts
WHERE observations > texts AND observations > 1
RETURN id
ORDER BY id
