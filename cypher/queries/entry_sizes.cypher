// entry_sizes: numbers of entries, by which a search chooses its way
// mode: read
// params: ws string
// returns: database, workspace, general
CALL () {
  MATCH (n:Entry)
  RETURN count(n) AS database
}
CALL () {
  MATCH (n:Entry {workspaceId: $ws})
  RETURN count(n) AS workspace
}
CALL () {
  MATCH (n:Entry {workspaceId: $ws, scopeKeys: 'general'})
  RETURN count(n) AS general
}
RETURN database, workspace, general
