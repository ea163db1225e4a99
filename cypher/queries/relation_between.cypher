// relation_between: the relations that join any two of the given entries
// mode: read
// params: ws string, ids list of string
// returns: r, fromId, toId, type
UNWIND $ids AS id
MATCH (a:Entry {id: id})-[r]->(b:Entry)
WHERE a.workspaceId = $ws AND b.id IN $ids
RETURN r, a.id AS fromId, b.id AS toId, type(r) AS type
