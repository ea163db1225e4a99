// entry_superseded_by: the newest entries that supersede others
// mode: read
// params: ws string, ids list of string, now datetime
// returns: id, n, mentionIds
UNWIND $ids AS id
MATCH (o:Entry {id: id})
WHERE o.workspaceId = $ws
CALL (o) {
  MATCH (o)<-[:ENTRY_SUPERSEDES]-(n:Entry)
  WHERE n.workspaceId = $ws AND (n.expiresAt IS NULL OR n.expiresAt > $now)
  RETURN n
  ORDER BY n.createdAt DESC, n.id DESC
  LIMIT 1
}
RETURN id, {{entry}}
