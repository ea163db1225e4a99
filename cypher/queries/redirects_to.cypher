// redirects_to: the old ids that lead to an entity
// mode: read
// params: ws string, id string
// returns: id
MATCH (r:Redirect {workspaceId: $ws, to: $id})
RETURN r.id AS id
ORDER BY id
