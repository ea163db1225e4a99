// migration_claim: takes the right to migrate, or keeps it, unless another server has it.
//   No unique key protects the first lock, since making one is itself a migration: what is
//   claimed are all locks of the key, locked in one order, so that two of them do no harm.
// mode: write
// params: key string, owner string, seconds int
// returns: claimed
MATCH (l:MigrationLock {key: $key})
WITH l ORDER BY elementId(l)
SET l.locked = true
REMOVE l.locked
WITH collect(l) AS locks
WITH locks, size(locks) > 0 AND all(l IN locks WHERE l.owner IS NULL OR l.owner = $owner OR l.claimedAt < datetime() - duration({seconds: $seconds})) AS claimed
FOREACH (l IN CASE WHEN claimed THEN locks ELSE [] END | SET l.owner = $owner, l.claimedAt = datetime())
RETURN claimed
