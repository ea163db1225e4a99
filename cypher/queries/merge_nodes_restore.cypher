// merge_nodes_restore: stores entities as they were
// mode: write
// params: rows list of {labels list of string, props map}
// returns: nothing
UNWIND $rows AS row
CREATE (e:$(row.labels))
SET e = row.props
