// walk_between: the edges with both ends among some entities, best confidence first, then oldest
// mode: read
// params: ws string, ids list of string, limit int
// returns: r, from, to
UNWIND $ids AS id
MATCH (s:Entity {id: id})
WHERE s.workspaceId = $ws
MATCH (s)-[r{{types}}]->(n)
WHERE n.id IN $ids AND {{fits}}
WITH r, s, n
ORDER BY r.confidence DESC, r.createdAt, r.id
LIMIT $limit
RETURN r, s.id AS from, n.id AS to
ORDER BY r.confidence DESC, r.createdAt, r.id
