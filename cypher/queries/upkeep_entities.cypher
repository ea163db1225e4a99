// upkeep_entities: the entities of a workspace as far as their confidence goes by it, oldest first, behind a position
// mode: read
// params: ws string, limit int, key datetime and id of the position where there is one
// returns: e
MATCH (e:Entity {workspaceId: $ws})
WHERE {{from}}
WITH e
ORDER BY e.workspaceId, e.createdAt, e.id
LIMIT $limit
RETURN e {.id, .name, .source, .confidence, .lastSeenAt, .createdAt} AS e
