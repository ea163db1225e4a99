// edge_of_entities: the edges of each of some entities, best confidence first, then oldest, behind a position
// mode: read
// params: ws string, ids list of string, limit int, from map or null of {confidence, createdAt, id}
// returns: id, r, from, to
UNWIND $ids AS id
MATCH (s:Entity {id: id})
WHERE s.workspaceId = $ws
CALL (s) {
  MATCH (s){{left}}[r{{types}}]{{right}}()
  WHERE {{fits}}
    AND ($from IS NULL OR r.confidence < $from.confidence OR r.confidence = $from.confidence AND (
      r.createdAt > $from.createdAt OR r.createdAt = $from.createdAt AND r.id > $from.id))
  RETURN r
  ORDER BY r.confidence DESC, r.createdAt, r.id
  LIMIT $limit
}
RETURN id, r, startNode(r).id AS from, endNode(r).id AS to
ORDER BY id, r.confidence DESC, r.createdAt, r.id
