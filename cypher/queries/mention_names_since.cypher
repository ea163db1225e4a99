// mention_names_since: the names of the entities that changed since a moment, the oldest change first
// mode: read
// params: ws string, since datetime, after string, the id of the last one read of that moment, limit int
// returns: id, updatedAt, names
MATCH (e:Entity {workspaceId: $ws})
WHERE e.updatedAt >= $since AND (e.updatedAt > $since OR e.id > $after)
WITH e
ORDER BY e.updatedAt, e.id
LIMIT $limit
RETURN e.id AS id, e.updatedAt AS updatedAt, [e.name] + coalesce(e.aliases, []) AS names
