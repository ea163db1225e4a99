// server_lock_timeout: how long the database lets writers wait for a lock; 0s is for ever
// mode: read
// params: none
// returns: value
SHOW SETTINGS 'db.lock.acquisition.timeout' YIELD value
RETURN value
