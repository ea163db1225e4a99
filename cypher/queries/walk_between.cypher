// walk_between: the edges with both ends among some entities, best confidence first, then oldest
// mode: read
// params: ws string, ids list of string, limit int, asOf datetime, knownAt datetime or null, types list of string, relTypes list of string
// returns: r, from, to
MATCH (e:Entity)
WHERE e.id IN $ids AND e.workspaceId = $ws
WITH collect(e) AS kept
UNWIND kept AS s
MATCH (s)-[r{{types}}]->(n)
WHERE n IN kept AND {{fits}}
WITH r, s, n
ORDER BY r.confidence DESC, r.createdAt, r.id
LIMIT $limit
RETURN r, s.id AS from, n.id AS to
ORDER BY r.confidence DESC, r.createdAt, r.id
