// merge_entries_about: the ids of the entries about an entity
// mode: read
// params: ws string, id string
// returns: id
MATCH (:Entity {id: $id})<-[:ABOUT]-(n:Entry)
WHERE n.workspaceId = $ws
RETURN DISTINCT n.id AS id
ORDER BY id
