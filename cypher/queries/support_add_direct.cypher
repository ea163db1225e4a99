// support_add_direct: notes that things rest on a writer's own word
// mode: write
// params: ws string, rows list of {id, source, at datetime}
// returns: nothing
UNWIND $rows AS row
MATCH (n:{{kind}} {id: row.id})
WHERE n.workspaceId = $ws AND n.directAt IS NULL
SET n.directAt = row.at, n.directSource = row.source
