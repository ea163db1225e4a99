// entity_count: how many entities fit a filter
// mode: read
// params: ws string, types list of string, sources list of string, nameContains string, minConfidence float or null, seenAfter datetime or null, seenBefore datetime or null, taskId string
// returns: count
MATCH (e:Entity {workspaceId: $ws})
WHERE (size($types) = 0 OR e.type IN $types)
  AND (size($sources) = 0 OR e.source IN $sources)
  AND ($nameContains = '' OR e.normalizedName CONTAINS $nameContains)
  AND ($minConfidence IS NULL OR e.confidence >= $minConfidence)
  AND ($seenAfter IS NULL OR e.lastSeenAt > $seenAfter)
  AND ($seenBefore IS NULL OR e.lastSeenAt < $seenBefore)
  AND ($taskId = '' OR e.taskId = $taskId)
RETURN count(e) AS count
