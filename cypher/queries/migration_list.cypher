// migration_list: the migrations that were run
// mode: read
// params: none
// returns: name
MATCH (m:Migration)
RETURN m.name AS name
