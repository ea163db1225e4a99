// path_shortest: a way of fewest hops between two entities; of several (at most $ties are looked at)
// the one of the highest product of confidences, then of the smallest ids
// mode: read
// params: ws string, from string, to string, ties int
// returns: entities, edges
MATCH (a:Entity {id: $from})
WHERE a.workspaceId = $ws
MATCH (b:Entity {id: $to})
WHERE b.workspaceId = $ws
MATCH p = allShortestPaths((a){{left}}[{{types}}*..{{hops}}]{{right}}(b))
WHERE all(r IN relationships(p) WHERE {{fits}})
WITH p
LIMIT $ties
WITH [n IN nodes(p) | n.id] AS entities, [r IN relationships(p) | r.id] AS edges,
  reduce(product = 1.0, r IN relationships(p) | product * r.confidence) AS confidence
RETURN entities, edges
ORDER BY confidence DESC, entities, edges
LIMIT 1
