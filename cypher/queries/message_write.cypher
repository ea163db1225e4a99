// message_write: stores a mail that was claimed, with who wrote and got it
// mode: write
// params: ws string, id string, props map, from string, participants list of string
// returns: nothing
MATCH (m:Message {workspaceId: $ws, id: $id})
SET m += $props
WITH m
CALL (m) {
  UNWIND range(0, size($participants) - 1) AS i
  MATCH (e:Entity {id: $participants[i]})
  WHERE e.workspaceId = $ws
  CREATE (m)-[r:SAID_IN {from: e.id = $from, position: i}]->(e)
  RETURN count(*) AS linked
}
RETURN linked
