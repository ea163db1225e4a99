// message_threads: stored mails to whose conversations a mail may belong: those that it answers, and those of the same subject
// mode: read
// params: ws string, ids list of string, subject string, people list of string, since datetime
// returns: messageId, threadId, sentAt
CALL () {
  UNWIND $ids AS id
  MATCH (m:Message {workspaceId: $ws, messageId: id})
  RETURN m
  UNION
  MATCH (m:Message {workspaceId: $ws, baseSubject: $subject})
  WHERE $subject <> '' AND m.sentAt >= $since AND EXISTS { (m)-[:SAID_IN]->(e:Entity) WHERE e.id IN $people }
  RETURN m ORDER BY m.sentAt DESC LIMIT 1
}
WITH m
WHERE m.threadId IS NOT NULL
RETURN m.messageId AS messageId, m.threadId AS threadId, m.sentAt AS sentAt
