// entry_create: stores new entries
// mode: write
// params: rows list of {id, props}
// returns: nothing
UNWIND $rows AS row
CREATE (n:Entry)
SET n = row.props
