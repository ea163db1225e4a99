// entry_awaiting: entries that wait for a vector of a model, the oldest first
// mode: read
// params: modelKey string, after string, limit int
// returns: id, hash, title, content
MATCH (n:Entry {awaitsVector: $modelKey})
WHERE n.workspaceId IS NOT NULL AND n.id > $after
WITH n
ORDER BY n.id
LIMIT $limit
RETURN n.id AS id, n.contentHash AS hash, n.title AS title, n.content AS content
