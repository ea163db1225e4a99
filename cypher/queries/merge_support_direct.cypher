// merge_support_direct: lets things rest on a writer's own word, on which they do not rest yet
// mode: write
// params: rows list of {id, at datetime, source}, each once
// returns: id: what is new
UNWIND $rows AS row
MATCH (n:{{kind}} {id: row.id})
WHERE n.directAt IS NULL
SET n.directAt = row.at, n.directSource = row.source
RETURN row.id AS id
