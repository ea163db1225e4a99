// edge_create: stores edges, each as relationship of its own type and as Fact
// mode: write
// params: rows list of {src, dst, relType, rel map, fact map}
// returns: created
UNWIND $rows AS row
MATCH (a:Entity {id: row.src})
MATCH (b:Entity {id: row.dst})
CREATE (a)-[r:$(row.relType)]->(b)
SET r = row.rel
CREATE (f:Fact)
SET f = row.fact
RETURN count(*) AS created
