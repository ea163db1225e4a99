// entity_type_counts: how many entities of each type a workspace has
// mode: read
// params: ws string
// returns: key, count
MATCH (e:Entity {workspaceId: $ws})
RETURN e.type AS key, count(*) AS count
