// recall_awaiting: edges or observations that wait for their vector, by id, behind one
// mode: read
// params: after string, limit int
// returns: id, text
MATCH (n:{{kind}} {awaitsVector: true})
WHERE n.workspaceId IS NOT NULL AND n.id > $after
WITH n
ORDER BY n.id
LIMIT $limit
RETURN n.id AS id, coalesce(n.text, n.name) AS text
