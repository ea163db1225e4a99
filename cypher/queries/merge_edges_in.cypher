// merge_edges_in: gives edges to one entity to others, with the same properties but for those of set
// mode: write
// params: entity string, moves map of {end, set map} by edge id
// returns: moved
MATCH (e:Entity {id: $entity})<-[r]-(x:Entity)
WITH x, r, $moves[r.id] AS move
WHERE move IS NOT NULL
MATCH (to:Entity {id: move.end})
CREATE (to)<-[n:$(type(r))]-(x)
SET n = properties(r)
SET n += move.set
DELETE r
RETURN count(*) AS moved
