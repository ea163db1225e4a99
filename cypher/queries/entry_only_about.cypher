// entry_only_about: the entries that are about one contact and nobody else
// mode: read
// params: ws string, entityId string
// returns: id
MATCH (e:Entity {id: $entityId})<-[:ABOUT]-(n:Entry)
WHERE e.workspaceId = $ws AND n.workspaceId = $ws AND n.contactIds = [$entityId]
RETURN DISTINCT n.id AS id
