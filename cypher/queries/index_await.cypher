// index_await: waits until every index can be used, 300 seconds at most
// mode: read
// params: none
// returns: nothing
CALL db.awaitIndexes(300)
