// cleanup_namesakes: the entities that have the plain key of a type and a name
// mode: read
// params: ws string, rows list of {type, key}
// returns: e, identities, degree, keyed
UNWIND $rows AS row
MATCH (e:Entity {workspaceId: $ws, type: row.type, normalizedName: row.key, discriminator: ''})
RETURN e, [(i:Identity)-[:IDENTIFIES]->(e) | i {.kind, .value}] AS identities, true AS keyed,
  COUNT { (e)-[]-(:Entity) } + COUNT { (e)<-[:OBSERVED_ON]-() } AS degree
