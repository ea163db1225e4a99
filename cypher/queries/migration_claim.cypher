// migration_claim: takes the right to migrate, or keeps it, unless another server has it
// mode: write
// params: owner string, seconds int
// returns: claimed
MERGE (l:MigrationLock {key: 'migrations'})
SET l.locked = true
REMOVE l.locked
WITH l, l.owner IS NULL OR l.owner = $owner OR l.claimedAt < datetime() - duration({seconds: $seconds}) AS claimed
SET l.owner = CASE WHEN claimed THEN $owner ELSE l.owner END,
    l.claimedAt = CASE WHEN claimed THEN datetime() ELSE l.claimedAt END
RETURN claimed
