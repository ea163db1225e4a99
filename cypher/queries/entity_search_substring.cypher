// entity_search_substring: entities whose name or description contains a text
// mode: read
// params: ws string, text string in normal form, types list of string, limit int
// returns: e, identities
MATCH (e:Entity {workspaceId: $ws})
WHERE (size($types) = 0 OR e.type IN $types)
  AND (e.normalizedName CONTAINS $text OR toLower(e.description) CONTAINS $text)
WITH e
ORDER BY e.confidence DESC, e.updatedAt DESC, e.id
LIMIT $limit
RETURN e, [(i:Identity)-[:IDENTIFIES]->(e) | i {.kind, .value}] AS identities
