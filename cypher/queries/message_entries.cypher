// message_entries: the entries that mails gave, by the mails' ids, oldest first
// mode: read
// params: ws string, ids list of string
// returns: id, entry
UNWIND $ids AS id
MATCH (m:Message {workspaceId: $ws, id: id})
CALL (m) {
  MATCH (n:Entry)-[:SUPPORTED_BY]->(m)
  RETURN n
  UNION
  MATCH (n:Entry {workspaceId: m.workspaceId, sourceId: m.messageId})
  RETURN n
}
RETURN id, n.id AS entry
ORDER BY n.createdAt, n.id
