// merge_support_drop: takes supports away
// mode: write
// params: ws string, rows list of {id, by}
// returns: id, by: what was there
UNWIND $rows AS row
MATCH (n:{{kind}} {id: row.id})-[r:SUPPORTED_BY]->(d:{{label}} {workspaceId: $ws, id: row.by})
DELETE r
RETURN row.id AS id, row.by AS by
