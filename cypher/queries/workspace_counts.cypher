// workspace_counts: what a workspace holds besides its edges
// mode: read
// params: ws string, now datetime
// returns: entities, observations, codeFiles, codeSymbols, entries, relations, entitiesByType, entriesByType
CALL () {
  MATCH (e:Entity {workspaceId: $ws})
  WITH e.type AS key, count(*) AS count
  ORDER BY count DESC, key
  RETURN sum(count) AS entities, collect({key: key, count: count}) AS entitiesByType
}
CALL () {
  MATCH (o:Observation {workspaceId: $ws})
  RETURN count(o) AS observations
}
CALL () {
  MATCH (n:Entry {workspaceId: $ws})
  WHERE n.expiresAt IS NULL OR n.expiresAt > $now
  WITH n.type AS key, count(*) AS count, sum(COUNT { (n)-[:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]->() }) AS relations
  ORDER BY count DESC, key
  RETURN sum(count) AS entries, sum(relations) AS relations, collect({key: key, count: count}) AS entriesByType
}
CALL () {
  MATCH (c:CodeRepository {workspaceId: $ws})
  WHERE c.name IS NOT NULL
  RETURN coalesce(sum(c.files), 0) AS codeFiles, coalesce(sum(c.symbols), 0) AS codeSymbols
}
RETURN entities, observations, codeFiles, codeSymbols, entries, relations, entitiesByType, entriesByType
