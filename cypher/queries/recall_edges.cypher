// recall_edges: the edges that touch entities at a moment, the oldest first
// mode: read
// params: ws string, ids list of string, limit int, asOf datetime, knownAt datetime or null
// returns: id, fromId, fromName, toId, toName, type
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.workspaceId = $ws
CALL (e) {
  MATCH (e)-[r]-(:Entity)
  WHERE r.workspaceId = $ws AND {{visible}}
  RETURN r
  LIMIT $limit
}
WITH DISTINCT r
ORDER BY r.createdAt, r.id
LIMIT $limit
RETURN r.id AS id, startNode(r).id AS fromId, startNode(r).name AS fromName, endNode(r).id AS toId, endNode(r).name AS toName, r.type AS type
