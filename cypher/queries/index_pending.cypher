// index_pending: the indexes that are not online
// mode: read
// params: none
// returns: name
SHOW INDEXES YIELD name, state
WHERE state <> 'ONLINE'
RETURN name
ORDER BY name
