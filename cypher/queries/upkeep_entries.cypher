// upkeep_entries: the entries of a workspace as far as their confidence and their end go by it, oldest first, behind a position
// mode: read
// params: ws string, limit int, key datetime and id of the position where there is one
// returns: n
MATCH (n:Entry {workspaceId: $ws})
WHERE {{from}}
WITH n
ORDER BY n.workspaceId, n.createdAt, n.id
LIMIT $limit
RETURN n {.id, .title, .type, .confidence, .baseConfidence, .lastValidatedAt, .lastAccessedAt, .expiresAt, .createdAt} AS n
