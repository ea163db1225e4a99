// message_threads: stored mails to whose conversations mails may belong: those that they answer, and those of the same subject
// mode: read
// params: ws string, questions list of {ids list of string, subject string, people list of string, since datetime, at: its place}
// returns: place, messageId, threadId, sentAt
UNWIND $questions AS question
CALL (question) {
  UNWIND question.ids AS id
  MATCH (m:Message {workspaceId: $ws, messageId: id})
  RETURN m
  UNION
  WITH question WHERE question.subject <> ''
  MATCH (m:Message {workspaceId: $ws, baseSubject: question.subject})
  WHERE m.sentAt >= question.since AND EXISTS { (m)-[:SAID_IN]->(e:Entity) WHERE e.id IN question.people }
  RETURN m ORDER BY m.sentAt DESC LIMIT 1
}
WITH question, m
WHERE m.threadId IS NOT NULL
RETURN question.at AS place, m.messageId AS messageId, m.threadId AS threadId, m.sentAt AS sentAt
