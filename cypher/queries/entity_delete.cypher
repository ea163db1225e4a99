// entity_delete: removes an entity with its edges, observations, names and identities. What was hung on it
// meanwhile, and entries that are still about it, break the transaction, so that it is decided anew
// mode: write
// params: ws string, id string
// returns: edges, observations
MATCH (e:Entity {id: $id})
WHERE e.workspaceId = $ws
SET e.locked = true
WITH e
CALL (e) {
  OPTIONAL MATCH (e)-[r]-()
  WHERE type(r) <> 'ABOUT'
  RETURN collect(r) AS links
}
CALL (links) {
  UNWIND links AS r
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
WITH e, links, facts, observations, identities, aliases, size(facts) AS edges, size(observations) AS remarks
FOREACH (r IN links | DELETE r)
FOREACH (n IN facts + observations + identities + aliases | DETACH DELETE n)
DELETE e
RETURN edges, remarks AS observations
