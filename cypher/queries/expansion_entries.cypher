// expansion_entries: the entries about a contact that hold without an end, oldest first, behind a position
// mode: read
// params: ws string, contactId string, now datetime, limit int, key datetime and id of the position where there is one
// returns: n, mentionIds, relations
MATCH (:Entity {id: $contactId})<-[:ABOUT]-(n:Entry)
WHERE n.workspaceId = $ws AND {{from}} AND n.validTo IS NULL AND (n.expiresAt IS NULL OR n.expiresAt > $now)
WITH n
ORDER BY n.createdAt, n.id
LIMIT $limit
RETURN n {.id, .createdAt} AS n, [(n)-[:MENTIONS]->(m:Entity) | m.id] AS mentionIds,
  COUNT { (n)-[:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]-() } AS relations
