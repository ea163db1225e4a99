// recall_sizes: how many edges or observations there are, by which a search chooses its way
// mode: read
// params: ws string
// returns: database, workspace
CALL () {
  MATCH (n:{{kind}})
  RETURN count(n) AS database
}
CALL () {
  MATCH (n:{{kind}} {workspaceId: $ws})
  RETURN count(n) AS workspace
}
RETURN database, workspace
