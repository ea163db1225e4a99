// merge_ends: which of some ids are those of entities, and which lead to others
// mode: read
// params: ws string, ids list of string
// returns: id, merge string or null
UNWIND $ids AS id
OPTIONAL MATCH (e:Entity {id: id})
WHERE e.workspaceId = $ws
OPTIONAL MATCH (r:Redirect {id: id})
WHERE r.workspaceId = $ws
WITH id, e, r
WHERE e IS NOT NULL OR r IS NOT NULL
RETURN id, CASE WHEN e IS NULL THEN r.mergeId END AS merge
