// migration_release: gives the right to migrate back
// mode: write
// params: key string, owner string
// returns: nothing
MATCH (l:MigrationLock {key: $key})
WHERE l.owner = $owner
REMOVE l.owner, l.claimedAt
