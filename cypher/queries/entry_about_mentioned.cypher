// entry_about_mentioned: the entries that are about the entities which entries mention, inside the selection; few of each
// mode: read
// params: ws string, ids list of string, mentions int, limit int, those of the scope and the filter
// returns: id, entityId, entries list of string
UNWIND $ids AS id
MATCH (m:Entry {id: id})
WHERE m.workspaceId = $ws
CALL (m) {
  MATCH (m)-[l:MENTIONS]->(e:Entity)
  WHERE coalesce(l.auto, false)
  WITH e
  LIMIT $mentions
  RETURN e
}
CALL (m, e) {
  MATCH (e)<-[l:ABOUT|MENTIONS]-(n:Entry)
  WHERE n.workspaceId = $ws AND n <> m AND NOT coalesce(l.auto, false) AND {{scope}} AND {{filter}}
  WITH DISTINCT n
  LIMIT $limit
  RETURN collect(n.id) AS entries
}
WITH id, e, entries
WHERE size(entries) > 0
RETURN id, e.id AS entityId, entries
