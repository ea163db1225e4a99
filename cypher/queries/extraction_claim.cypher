// extraction_claim: takes the extraction from a source in hand, unless it is done or somebody else has it
// mode: write
// params: ws string, key string, source string, sourceId string, owner string, now datetime, leaseUntil datetime, force bool
// returns: done, held
MERGE (x:Extraction {workspaceId: $ws, key: $key})
ON CREATE SET x.name = 'extraction', x.source = $source, x.sourceId = $sourceId, x.createdAt = $now
SET x.locked = true
REMOVE x.locked
WITH x, coalesce(x.done, false) AND NOT ($force AND coalesce(x.entries, 0) = 0) AS done, coalesce(x.leaseUntil > $now, false) AS leased
WITH x, done, leased AND NOT done AS held
FOREACH (_ IN CASE WHEN done OR held THEN [] ELSE [1] END |
  SET x.owner = $owner, x.leaseUntil = $leaseUntil, x.attempts = coalesce(x.attempts, 0) + 1
)
RETURN done, held
