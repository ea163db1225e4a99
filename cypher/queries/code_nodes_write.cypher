// code_nodes_write: stores nodes of one label, those that are there as they are now
// mode: write
// params: rows list of {id, props}
// returns: nothing
UNWIND $rows AS row
MERGE (n:CodeNode {id: row.id})
SET n = row.props, n:{{label}}
