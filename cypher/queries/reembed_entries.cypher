// reembed_entries: the entries of a workspace, oldest first, behind a position, with what a vector is to be made of where a model's is missing
// mode: read
// params: ws string, modelKey string, limit int, key datetime and id of the position where there is one
// returns: id, createdAt, missing, hash, title, content: the last three only where it is missing
MATCH (n:Entry {workspaceId: $ws})
WHERE {{from}}
WITH n
ORDER BY n.workspaceId, n.createdAt, n.id
LIMIT $limit
WITH n, (n.embeddingKey IS NOT NULL AND n.embeddingKey <> $modelKey) OR n.awaitsVector IS NOT NULL AS missing
RETURN n.id AS id, n.createdAt AS createdAt, missing, CASE WHEN missing THEN n.contentHash END AS hash, CASE WHEN missing THEN n.title END AS title,
  CASE WHEN missing THEN n.content END AS content
