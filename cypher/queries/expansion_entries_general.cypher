// expansion_entries_general: the entries about nobody that hold without an end, oldest first, behind a position
// mode: read
// params: ws string, now datetime, limit int, key datetime and id of the position where there is one
// returns: n, mentionIds, relations
MATCH (n:Entry {workspaceId: $ws})
WHERE {{from}} AND n.scopeKeys = 'general' AND n.validTo IS NULL AND (n.expiresAt IS NULL OR n.expiresAt > $now)
WITH n
ORDER BY n.workspaceId, n.createdAt, n.id
LIMIT $limit
RETURN n {.id, .createdAt} AS n, [(n)-[:MENTIONS]->(m:Entity) | m.id] AS mentionIds,
  COUNT { (n)-[:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]-() } AS relations
