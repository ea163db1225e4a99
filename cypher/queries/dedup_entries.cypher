// dedup_entries: the newest entries about a contact that hold without an end and have a vector of a model
// mode: read
// params: ws string, contactId string, key string, dimensions int, now datetime, limit int
// returns: n, vector
MATCH (:Entity {id: $contactId})<-[:ABOUT]-(n:Entry)
WHERE n.workspaceId = $ws AND n.validTo IS NULL AND (n.expiresAt IS NULL OR n.expiresAt > $now)
  AND n[$key] IS NOT NULL AND size(n[$key]) = $dimensions
WITH n
ORDER BY n.createdAt DESC, n.id DESC
LIMIT $limit
RETURN n {.id, .type, .confidence, .contentHash, .expiresAt} AS n, n[$key] AS vector
