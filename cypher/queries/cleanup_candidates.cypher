// cleanup_candidates: the automatic entities of a type
// mode: read
// params: ws string, type string
// returns: e
MATCH (e:Entity {workspaceId: $ws, type: $type})
WHERE e.normalizedName IS NOT NULL AND e.discriminator IS NOT NULL AND e.source = 'auto'
RETURN e {.id, .workspaceId, .type, .name, .normalizedName, .source, .properties, .description, .descriptionSource} AS e
ORDER BY e.id
