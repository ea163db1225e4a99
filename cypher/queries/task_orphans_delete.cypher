// task_orphans_delete: removes entities on which nothing hangs but names and identities. What was hung on them
// meanwhile breaks the transaction, so that it is decided anew
// mode: write
// params: ws string, ids list of string
// returns: deleted
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.workspaceId = $ws
CALL (e) {
  OPTIONAL MATCH (i:Identity)-[:IDENTIFIES]->(e)
  RETURN collect(i) AS identities
}
CALL (e) {
  OPTIONAL MATCH (a:Alias)-[r:ALIAS_OF]->(e)
  RETURN collect(a) AS aliases, collect(r) AS names
}
FOREACH (i IN identities | DETACH DELETE i)
FOREACH (r IN names | DELETE r)
DELETE e
WITH aliases
UNWIND CASE aliases WHEN [] THEN [null] ELSE aliases END AS a
CALL (a) {
  WITH a WHERE a IS NOT NULL AND NOT EXISTS { (a)-[:ALIAS_OF]->() }
  DELETE a
}
RETURN count(*) AS deleted
