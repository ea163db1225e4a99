// support_drop: takes a supporter's support away and gives what is left with none
// mode: write
// params: ws string, id string
// returns: kind, id
MATCH (d:{{label}} {workspaceId: $ws, id: $id})<-[r:SUPPORTED_BY]-(n)
DELETE r
WITH DISTINCT n
WHERE n.directAt IS NULL AND NOT EXISTS { (n)-[:SUPPORTED_BY]->() }
RETURN CASE WHEN n:Fact THEN 'Fact' WHEN n:Observation THEN 'Observation' WHEN n:Entry THEN 'Entry' ELSE 'Entity' END AS kind, n.id AS id
ORDER BY id
