// message_write: stores mails that were claimed, with who wrote and got them
// mode: write
// params: ws string, messages list of {id, props map, from string, participants list of string}
// returns: nothing
UNWIND $messages AS message
MATCH (m:Message {workspaceId: $ws, id: message.id})
SET m += message.props
WITH m, message
CALL (m, message) {
  UNWIND range(0, size(message.participants) - 1) AS i
  MATCH (e:Entity {id: message.participants[i]})
  WHERE e.workspaceId = $ws
  CREATE (m)-[r:SAID_IN {from: e.id = message.from, position: i}]->(e)
  RETURN count(*) AS linked
}
RETURN sum(linked) AS linked
