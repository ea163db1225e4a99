// support_add: notes that things rest on documents, tasks or messages
// mode: write
// params: ws string, rows list of {id, by, source, at datetime, quote string or null}
// returns: nothing
UNWIND $rows AS row
MATCH (n:{{kind}} {id: row.id})
WHERE n.workspaceId = $ws
MERGE (d:{{label}} {workspaceId: $ws, id: row.by})
ON CREATE SET d.name = row.by
MERGE (n)-[r:SUPPORTED_BY]->(d)
ON CREATE SET r.source = row.source, r.addedAt = row.at, r.quote = row.quote
