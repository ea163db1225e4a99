// merge_support_move: lets things rest on nodes of one label on which they do not rest yet
// mode: write
// params: ws string, rows list of {id, by, props map}, each once
// returns: id, by: what is new
UNWIND $rows AS row
MATCH (n:{{kind}} {id: row.id})
MATCH (d:{{label}} {workspaceId: $ws, id: row.by})
WHERE NOT EXISTS { (n)-[:SUPPORTED_BY]->(d) }
CREATE (n)-[r:SUPPORTED_BY]->(d)
SET r = row.props
RETURN row.id AS id, row.by AS by
