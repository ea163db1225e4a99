// workspace_degrees: the entities with the most edges visible at a moment
// mode: read
// params: ws string, asOf datetime, knownAt datetime or null, limit int
// returns: e, identities, degree
MATCH (r:Fact {workspaceId: $ws})
WHERE r.createdAt IS NOT NULL AND {{visible}}
UNWIND [r.src, r.dst] AS id
WITH id, count(*) AS degree
ORDER BY degree DESC, id
LIMIT 200
MATCH (e:Entity {id: id})
WITH e, degree
ORDER BY degree DESC, e.name, e.id
LIMIT $limit
RETURN e, degree, [(i:Identity)-[:IDENTIFIES]->(e) | i {.kind, .value}] AS identities
