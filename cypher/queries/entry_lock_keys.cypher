// entry_lock_keys: makes writers of the same keys wait for each other until they commit; nothing stays behind
// mode: write
// params: keys list of string, sorted
// returns: nothing
UNWIND $keys AS key
MERGE (l:WriteLock {key: key})
WITH collect(l) AS locks
FOREACH (l IN locks | DELETE l)
