// entry_drop_contact: takes a contact out of the entries that are about it and about somebody else too
// mode: write
// params: ws string, entityId string
// returns: nothing
MATCH (e:Entity {id: $entityId})<-[r:ABOUT]-(n:Entry)
WHERE e.workspaceId = $ws AND n.workspaceId = $ws AND size(n.contactIds) > 1
DELETE r
SET n.contactIds = [id IN n.contactIds WHERE id <> $entityId],
  n.scopeKeys = reduce(keys = '', id IN [x IN n.contactIds WHERE x <> $entityId] | keys + CASE keys WHEN '' THEN '' ELSE ' ' END + id)
