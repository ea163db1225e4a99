// observation_of_entities: the observations of each of some entities, newest first, behind a position
// mode: read
// params: ws string, ids list of string, limit int, from map or null of {observedAt, id}
// returns: o
UNWIND $ids AS id
CALL (id) {
  MATCH (o:Observation {entityId: id})
  WHERE o.observedAt <= coalesce($from.observedAt, datetime('9999-12-31T23:59:59Z'))
    AND o.workspaceId = $ws AND ($from IS NULL OR o.observedAt < $from.observedAt OR o.id < $from.id)
  RETURN o
  ORDER BY o.observedAt DESC, o.id DESC
  LIMIT $limit
}
RETURN o {.id, .workspaceId, .entityId, .text, .source, .fingerprint, .observedAt, .createdAt} AS o
ORDER BY o.entityId, o.observedAt DESC, o.id DESC
