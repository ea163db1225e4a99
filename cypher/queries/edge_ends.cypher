// edge_ends: the names of entities
// mode: read
// params: ws string, ids list of string
// returns: ids list, names list, in the same order; one row, because a thousand cost a client more than the database
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.workspaceId = $ws
RETURN collect(id) AS ids, collect(e.name) AS names
