// message_list: a workspace's mails, newest first, behind a position; of one conversation where it is named
// mode: read
// params: ws string, threadId string, at datetime or null, id string, limit int
// returns: m, people
MATCH (m:Message {workspaceId: $ws})
WHERE m.sentAt IS NOT NULL AND ($threadId = '' OR m.threadId = $threadId)
  AND ($at IS NULL OR m.sentAt < $at OR m.sentAt = $at AND m.id < $id)
WITH m ORDER BY m.sentAt DESC, m.id DESC LIMIT $limit
RETURN m, COLLECT { MATCH (m)-[r:SAID_IN]->(e:Entity) RETURN {id: e.id, sender: r.from} ORDER BY r.position } AS people
ORDER BY m.sentAt DESC, m.id DESC
