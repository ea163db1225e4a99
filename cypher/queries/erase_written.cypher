// erase_written: the ids of the mails that an entity wrote
// mode: read
// params: ws string, id string
// returns: id
MATCH (:Entity {id: $id})<-[r:SAID_IN]-(m:Message)
WHERE r.from AND m.workspaceId = $ws
RETURN DISTINCT m.id AS id
