// entry_about_entities: the entries that are about entities by their writers' word, inside the selection; few of each
// mode: read
// params: ws string, ids list of string, limit int, those of the scope and the filter
// returns: entityId, entries list of string
UNWIND $ids AS entityId
MATCH (e:Entity {id: entityId})
WHERE e.workspaceId = $ws
CALL (e) {
  MATCH (e)<-[l:ABOUT|MENTIONS]-(n:Entry)
  WHERE n.workspaceId = $ws AND NOT coalesce(l.auto, false) AND {{scope}} AND {{filter}}
  WITH DISTINCT n
  LIMIT $limit
  RETURN collect(n.id) AS entries
}
WITH entityId, entries
WHERE size(entries) > 0
RETURN entityId, entries
