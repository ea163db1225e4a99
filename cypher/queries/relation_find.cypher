// relation_find: the relation of a type from one entry to another
// mode: read
// params: fromId string, toId string
// returns: r, fromId, toId, type
MATCH (a:Entry {id: $fromId})-[r:{{type}}]->(b:Entry {id: $toId})
RETURN r, a.id AS fromId, b.id AS toId, type(r) AS type
ORDER BY r.id
LIMIT 1
