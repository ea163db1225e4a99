// message_erase: removes the mails that a contact wrote, and takes the contact out of the others
// mode: write
// params: ws string, entity string
// returns: deleted
MATCH (e:Entity {id: $entity})
WHERE e.workspaceId = $ws
CALL (e) {
  MATCH (e)<-[r:SAID_IN]-(m:Message)
  WHERE r.from
  DETACH DELETE m
  RETURN count(*) AS deleted
}
CALL (e) {
  MATCH (e)<-[r:SAID_IN]-(:Message)
  DELETE r
  RETURN count(*) AS cut
}
RETURN deleted
