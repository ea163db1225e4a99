// entry_count_of_entities: how many entries are about entities or mention them
// mode: read
// params: ws string, ids list of string, those of the filter
// returns: entityId, count
UNWIND $ids AS entityId
MATCH (e:Entity {id: entityId})
WHERE e.workspaceId = $ws
CALL (e) {
  MATCH (e)<-[:ABOUT|MENTIONS]-(n:Entry)
  WHERE n.workspaceId = $ws AND {{filter}}
  RETURN count(DISTINCT n) AS count
}
RETURN entityId, count
