// entry_of_entities: the entries that are about entities or mention them, newest first or oldest first
// mode: read
// params: ws string, ids list of string, those of the filter, limit int, key datetime and id of the position where there is one
// returns: entityId, n, mentionIds
UNWIND $ids AS entityId
MATCH (e:Entity {id: entityId})
WHERE e.workspaceId = $ws
CALL (e) {
  MATCH (e)<-[:ABOUT|MENTIONS]-(n:Entry)
  WHERE n.workspaceId = $ws AND {{from}}
    AND {{filter}}
  WITH DISTINCT n
  ORDER BY n.createdAt {{direction}}, n.id {{direction}}
  LIMIT $limit
  RETURN n
}
RETURN entityId, {{entry}}
