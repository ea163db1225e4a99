// upkeep_entries_expired: the entries of a workspace that have expired, those first that did first, behind a position
// mode: read
// params: ws string, now datetime, key datetime, id string, limit int
// returns: n
MATCH (n:Entry {workspaceId: $ws})
WHERE n.expiresAt >= $key AND n.expiresAt <= $now AND (n.expiresAt > $key OR n.id > $id)
WITH n
ORDER BY n.workspaceId, n.expiresAt, n.id
LIMIT $limit
RETURN n {.id, .title, .expiresAt} AS n
