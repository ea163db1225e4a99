// edge_delete: removes edges, relationship and Fact
// mode: write
// params: ws string, ids list of string
// returns: deleted
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.workspaceId = $ws
MATCH (a:Entity {id: f.src})
MATCH (b:Entity {id: f.dst})
CALL (a, b, id) {
  MATCH (a)-[r]->(b)
  WHERE r.id = id
  DELETE r
}
DETACH DELETE f
RETURN count(*) AS deleted
