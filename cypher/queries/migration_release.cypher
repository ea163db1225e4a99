// migration_release: gives the right to migrate back
// mode: write
// params: owner string
// returns: nothing
MATCH (l:MigrationLock {key: 'migrations'})
WHERE l.owner = $owner
REMOVE l.owner, l.claimedAt
