// merge_redirects_put: lets old ids lead to entities
// mode: write
// params: ws string, rows list of {id, to}, merge string
// returns: nothing
UNWIND $rows AS row
MERGE (r:Redirect {id: row.id})
ON CREATE SET r.workspaceId = $ws, r.name = row.id, r.mergeId = $merge
SET r.to = row.to
