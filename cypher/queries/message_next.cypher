// message_next: a workspace's mails, oldest first, behind a position
// mode: read
// params: ws string, at datetime or null, id string, limit int
// returns: m, people
MATCH (m:Message {workspaceId: $ws})
WHERE m.sentAt IS NOT NULL AND ($at IS NULL OR m.sentAt > $at OR m.sentAt = $at AND m.id > $id)
WITH m ORDER BY m.sentAt, m.id LIMIT $limit
RETURN m, COLLECT { MATCH (m)-[r:SAID_IN]->(e:Entity) RETURN {id: e.id, sender: r.from} ORDER BY r.position } AS people
ORDER BY m.sentAt, m.id
