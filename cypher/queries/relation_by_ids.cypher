// relation_by_ids: the relations of ids, with both ends still to be seen
// mode: read
// params: ws string, ids list of string, now datetime
// returns: r, fromId, toId, type
UNWIND $ids AS id
CALL (id) {
  MATCH (a:Entry)-[r:ENTRY_SUPPORTS {id: id}]->(b:Entry) RETURN a, r, b
  UNION
  MATCH (a:Entry)-[r:ENTRY_CONTRADICTS {id: id}]->(b:Entry) RETURN a, r, b
  UNION
  MATCH (a:Entry)-[r:ENTRY_SUPERSEDES {id: id}]->(b:Entry) RETURN a, r, b
  UNION
  MATCH (a:Entry)-[r:ENTRY_RELATES_TO {id: id}]->(b:Entry) RETURN a, r, b
  UNION
  MATCH (a:Entry)-[r:ENTRY_CAUSES {id: id}]->(b:Entry) RETURN a, r, b
  UNION
  MATCH (a:Entry)-[r:ENTRY_BLOCKS {id: id}]->(b:Entry) RETURN a, r, b
}
WITH a, r, b
WHERE r.workspaceId = $ws
  AND (a.expiresAt IS NULL OR a.expiresAt > $now) AND (b.expiresAt IS NULL OR b.expiresAt > $now)
RETURN r, a.id AS fromId, b.id AS toId, type(r) AS type
