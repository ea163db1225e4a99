// recall_total: how many edges or observations there are, from the database's own count
// mode: read
// params: none
// returns: database
MATCH (n:{{kind}})
RETURN count(n) AS database
