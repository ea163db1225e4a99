// entry_expand: the relations of entries to others inside the selection, the strongest of each direction
// mode: read
// params: ws string, ids list of string, perNode int, those of the scope and the filter
// returns: r, fromId, toId, type, farId
UNWIND $ids AS id
MATCH (near:Entry {id: id})
WHERE near.workspaceId = $ws
CALL (near) {
  MATCH (near)-[r:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]->(n:Entry)
  WHERE n.workspaceId = $ws AND {{scope}} AND {{filter}}
  RETURN r, n
  ORDER BY {{strength}} DESC, r.id
  LIMIT $perNode
  UNION ALL
  MATCH (near)<-[r:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]-(n:Entry)
  WHERE n.workspaceId = $ws AND {{scope}} AND {{filter}}
  RETURN r, n
  ORDER BY {{strength}} DESC, r.id
  LIMIT $perNode
}
RETURN r, startNode(r).id AS fromId, endNode(r).id AS toId, type(r) AS type, n.id AS farId
