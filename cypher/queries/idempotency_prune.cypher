// idempotency_prune: removes a batch of a workspace's keys that have expired; and of those
//   outside all workspaces, which have expired by the database's own clock
// mode: write
// params: ws string, now datetime, limit int
// returns: removed
MATCH (k:IdempotencyKey)
WHERE k.workspaceId = $ws AND k.expiresAt <= $now OR k.workspaceId = '' AND k.expiresAt <= datetime()
WITH k LIMIT $limit
DELETE k
RETURN count(*) AS removed
