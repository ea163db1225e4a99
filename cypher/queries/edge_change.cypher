// edge_change: stores the ends and weights of edges
// mode: write
// params: ws string, rows list of {id, open bool, set map}
// returns: nothing
UNWIND $rows AS row
MATCH (f:Fact {id: row.id})
WHERE f.workspaceId = $ws
SET f += row.set
SET f.currentKey = CASE WHEN row.open THEN f.currentKey END
WITH f, row
MATCH (a:Entity {id: f.src})
MATCH (b:Entity {id: f.dst})
MATCH (a)-[r]->(b)
WHERE r.id = row.id
SET r += row.set
