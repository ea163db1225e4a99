// merge_edges_restore: stores edges as they were before they were dropped
// mode: write
// params: rows list of {labels list of string, fact map, type, rel map}
// returns: nothing
UNWIND $rows AS row
MATCH (a:Entity {id: row.fact.src})
WITH row, a
MATCH (b:Entity {id: row.fact.dst})
CREATE (a)-[r:$(row.type)]->(b)
SET r = row.rel
CREATE (f:$(row.labels))
SET f = row.fact
