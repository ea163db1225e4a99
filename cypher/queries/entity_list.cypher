// entity_list: the entities that fit a filter, from a position on
// mode: read
// params: ws string, types list of string, sources list of string, nameContains string, minConfidence float or null, seenAfter datetime or null, seenBefore datetime or null, taskId string, limit int, key and id of the position where there is one
// returns: e, identities
MATCH (e:Entity {workspaceId: $ws})
WHERE {{from}}
  AND (size($types) = 0 OR e.type IN $types)
  AND (size($sources) = 0 OR e.source IN $sources)
  AND ($nameContains = '' OR e.normalizedName CONTAINS $nameContains)
  AND ($minConfidence IS NULL OR e.confidence >= $minConfidence)
  AND ($seenAfter IS NULL OR e.lastSeenAt > $seenAfter)
  AND ($seenBefore IS NULL OR e.lastSeenAt < $seenBefore)
  AND ($taskId = '' OR e.taskId = $taskId)
WITH e
ORDER BY e.{{field}} {{direction}}, e.id {{direction}}
LIMIT $limit
RETURN e, [(i:Identity)-[:IDENTIFIES]->(e) | i {.kind, .value}] AS identities
