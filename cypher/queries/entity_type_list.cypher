// entity_type_list: a workspace's entity types, built-ins first, then by key
// mode: read
// params: ws string
// returns: t
MATCH (t:EntityType {workspaceId: $ws})
WHERE t.key IS NOT NULL
RETURN t
ORDER BY t.builtIn DESC, t.key
