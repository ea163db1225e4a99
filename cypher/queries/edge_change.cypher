// edge_change: stores the ends and weights of edges
// mode: write
// params: ws string, rows list of {id, set map}
// returns: nothing
UNWIND $rows AS row
MATCH (f:Fact {id: row.id})
WHERE f.workspaceId = $ws
WITH f, row, coalesce(f.currentKey, f.endedKey) AS key
SET f += row.set
SET f.currentKey = CASE WHEN f.validTo IS NULL THEN key END, f.endedKey = CASE WHEN f.validTo IS NOT NULL THEN key END
WITH f, row
MATCH (a:Entity {id: f.src})
MATCH (b:Entity {id: f.dst})
MATCH (a)-[r]->(b)
WHERE r.id = row.id
SET r += row.set
