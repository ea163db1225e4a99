// code_begin: notes that what is stored of a repository is about to change
// mode: write
// params: ws string, repository string
// returns: nothing
MATCH (r:CodeRepository {workspaceId: $ws, name: $repository})
SET r.digest = null
