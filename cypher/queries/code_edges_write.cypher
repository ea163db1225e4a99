// code_edges_write: stores edges of one type
// mode: write
// params: rows list of {from, to, props}
// returns: nothing
UNWIND $rows AS row
MATCH (a:CodeNode {id: row.from})
MATCH (b:CodeNode {id: row.to})
CREATE (a)-[r:{{type}}]->(b)
SET r = row.props
