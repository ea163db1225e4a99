// entity_delete: removes an entity with its edges, observations, names and identities
// mode: write
// params: ws string, id string
// returns: edges, observations
MATCH (e:Entity {id: $id})
WHERE e.workspaceId = $ws
SET e.locked = true
WITH e
CALL (e) {
  MATCH (e)-[r]-()
  WHERE r.validFrom IS NOT NULL
  MATCH (f:Fact {id: r.id})
  RETURN collect(f) AS facts
}
CALL (e) {
  OPTIONAL MATCH (o:Observation)-[:OBSERVED_ON]->(e)
  RETURN collect(o) AS observations
}
CALL (e) {
  OPTIONAL MATCH (i:Identity)-[:IDENTIFIES]->(e)
  RETURN collect(i) AS identities
}
CALL (e) {
  OPTIONAL MATCH (a:Alias)-[:ALIAS_OF]->(e)
  WHERE COUNT { (a)-[:ALIAS_OF]->() } = 1
  RETURN collect(a) AS aliases
}
WITH e, facts, observations, identities, aliases, size(facts) AS edges, size(observations) AS remarks
FOREACH (n IN facts + observations + identities + aliases | DETACH DELETE n)
DETACH DELETE e
RETURN edges, remarks AS observations
