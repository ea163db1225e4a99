// cleanup_unkeyed: the entities of a workspace that are not unique by their name, as older imports left them
// mode: read
// params: ws string
// returns: e, identities, degree, keyed
MATCH (e:Entity {workspaceId: $ws})
WHERE e.normalizedName IS NULL OR e.discriminator IS NULL
RETURN e, [(i:Identity)-[:IDENTIFIES]->(e) | i {.kind, .value}] AS identities, false AS keyed,
  COUNT { (e)-[]-(:Entity) } + COUNT { (e)<-[:OBSERVED_ON]-() } AS degree
