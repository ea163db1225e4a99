// duplicate_cards: what the entities of a workspace are compared by
// mode: read
// params: ws string, types list of string, limit int
// returns: id, type, name, aliases, identities
MATCH (e:Entity {workspaceId: $ws})
WHERE size($types) = 0 OR e.type IN $types
WITH e
LIMIT $limit
RETURN e.id AS id, e.type AS type, e.name AS name, e.aliases AS aliases, [(i:Identity)-[:IDENTIFIES]->(e) | i {.kind, .value}] AS identities
