// idempotency_prune: removes a batch of keys that have expired
// mode: write
// params: now datetime, limit int
// returns: removed
MATCH (k:IdempotencyKey)
WHERE k.expiresAt <= $now
WITH k LIMIT $limit
DELETE k
RETURN count(*) AS removed
