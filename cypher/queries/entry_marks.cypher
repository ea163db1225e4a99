// entry_marks: the relations that mark entries: what supersedes them, what they contradict
// mode: read
// params: ws string, ids list of string, perNode int, those of the scope and the filter
// returns: r, fromId, toId, type, farId
UNWIND $ids AS id
MATCH (near:Entry {id: id})
WHERE near.workspaceId = $ws
CALL (near) {
  MATCH (near)<-[r:ENTRY_SUPERSEDES]-(n:Entry)
  WHERE n.workspaceId = $ws AND {{scope}} AND {{filter}}
  RETURN r, n
  ORDER BY r.id
  LIMIT $perNode
  UNION ALL
  MATCH (near)-[r:ENTRY_CONTRADICTS]-(n:Entry)
  WHERE n.workspaceId = $ws AND {{scope}} AND {{filter}}
  RETURN r, n
  ORDER BY r.id
  LIMIT $perNode
}
RETURN r, startNode(r).id AS fromId, endNode(r).id AS toId, type(r) AS type, n.id AS farId
