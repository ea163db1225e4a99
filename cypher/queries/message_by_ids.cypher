// message_by_ids: the stored mails of ids
// mode: read
// params: ws string, ids list of string
// returns: m, people
UNWIND $ids AS id
MATCH (m:Message {workspaceId: $ws, id: id})
WHERE m.sentAt IS NOT NULL
RETURN m, COLLECT { MATCH (m)-[r:SAID_IN]->(e:Entity) RETURN {id: e.id, sender: r.from} ORDER BY r.position } AS people
