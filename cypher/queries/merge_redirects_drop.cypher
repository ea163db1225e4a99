// merge_redirects_drop: lets old ids lead nowhere
// mode: write
// params: ws string, ids list of string
// returns: nothing
UNWIND $ids AS id
MATCH (r:Redirect {id: id})
WHERE r.workspaceId = $ws
DELETE r
