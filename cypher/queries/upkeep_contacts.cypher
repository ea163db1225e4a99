// upkeep_contacts: the entities that entries are about, oldest first, behind a position
// mode: read
// params: ws string, limit int, key datetime and id of the position where there is one
// returns: e
MATCH (e:Entity {workspaceId: $ws})
WHERE {{from}} AND EXISTS { (e)<-[:ABOUT]-() }
WITH e
ORDER BY e.workspaceId, e.createdAt, e.id
LIMIT $limit
RETURN e {.id, .name, .createdAt} AS e
