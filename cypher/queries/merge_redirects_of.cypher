// merge_redirects_of: the old ids that lead to entities
// mode: read
// params: ws string, ids list of string
// returns: id, to
UNWIND $ids AS id
MATCH (r:Redirect {workspaceId: $ws, to: id})
RETURN r.id AS id, r.to AS to
