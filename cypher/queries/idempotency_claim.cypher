// idempotency_claim: claims a key for one call, unless a live claim or an answer is there
// mode: write
// params: workspace string, caller string, key string, now datetime, claim map
// returns: owner, fingerprint, answer: what is there now
// A key of a workspace that does not exist (yet, or any more) is kept outside all workspaces.
// The node is locked before it is read, or two callers could take over the same dead claim.
OPTIONAL MATCH (w:Workspace {key: $workspace})
WITH coalesce(w.id, '') AS ws, CASE WHEN w IS NULL THEN $workspace + ' ' + $key ELSE $key END AS key
MERGE (k:IdempotencyKey {workspaceId: ws, caller: $caller, key: key})
ON CREATE SET k += $claim
ON MATCH SET k.lk = 1
WITH k, k.expiresAt <= $now OR (k.answer IS NULL AND k.leaseUntil <= $now) AS dead
FOREACH (_ IN CASE WHEN dead THEN [1] ELSE [] END |
  SET k += $claim
  REMOVE k.answer
)
REMOVE k.lk
RETURN k.owner AS owner, k.fingerprint AS fingerprint, k.answer AS answer
