// walk_between: the edges with both ends among some entities, best confidence first, then oldest
// mode: read
// params: ws string, ids list of string, limit int, asOf datetime, knownAt datetime or null, types list of string, relTypes list of string
// returns: edges list of [r, from, to], in one row
MATCH (e:Entity)
WHERE e.id IN $ids AND e.workspaceId = $ws
WITH collect(e) AS kept, collect(elementId(e)) AS keys
UNWIND kept AS s
MATCH (s)-[r{{types}}]->(n)
WHERE elementId(n) IN keys AND {{fits}}
WITH r, s, n
ORDER BY r.confidence DESC, r.createdAt, r.id
LIMIT $limit
RETURN collect([r, s.id, n.id]) AS edges
