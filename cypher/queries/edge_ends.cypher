// edge_ends: the names of entities
// mode: read
// params: ws string, ids list of string
// returns: id, name
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.workspaceId = $ws
RETURN id, e.name AS name
