// observation_match: the observations of entities that have one of these fingerprints, oldest first
// mode: read
// params: keys list of {entityId, fingerprint, content}
// returns: o
UNWIND $keys AS key
CALL (key) {
  MATCH (o:Observation {entityId: key.entityId, fingerprint: key.fingerprint})
  RETURN o
  UNION
  MATCH (o:Observation {entityId: key.entityId, fingerprint: key.content})
  RETURN o
  UNION
  MATCH (o:Observation {entityId: key.entityId, contentFingerprint: key.content})
  RETURN o
}
WITH DISTINCT o
RETURN o {.id, .workspaceId, .entityId, .text, .source, .fingerprint, .observedAt, .createdAt} AS o
ORDER BY o.createdAt, o.id
