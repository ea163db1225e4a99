// migration_lock: makes sure that there is a lock to claim; two at once may make one each
// mode: write
// params: key string
// returns: nothing
MERGE (:MigrationLock {key: $key})
