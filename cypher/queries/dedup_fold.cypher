// dedup_fold: stores an entry with what others add to it: their contacts, mentions and supports too. A support knows
// which parts of the joined content rest on it; joinedDirect are those that rest on a writer's own word
// mode: write
// params: id string, own list of string, losers list of {id, parts list of string}, props map
// returns: nothing
MATCH (k:Entry {id: $id})
SET k += $props,
  k.joinedDirect = CASE WHEN k.joinedDirect IS NOT NULL THEN k.joinedDirect WHEN k.directAt IS NOT NULL OR NOT EXISTS { (k)-[:SUPPORTED_BY]->() } THEN $own ELSE [] END
WITH k
CALL (k) {
  MATCH (k)-[r:SUPPORTED_BY]->()
  WHERE r.parts IS NULL
  SET r.parts = $own
  RETURN count(*) AS marked
}
UNWIND $losers AS loser
MATCH (l:Entry {id: loser.id})
CALL (k, l) {
  MATCH (l)-[:ABOUT]->(e:Entity)
  MERGE (k)-[:ABOUT]->(e)
  RETURN count(*) AS about
}
CALL (k, l) {
  MATCH (l)-[m:MENTIONS]->(e:Entity)
  MERGE (k)-[x:MENTIONS]->(e)
  ON CREATE SET x.auto = coalesce(m.auto, false)
  ON MATCH SET x.auto = coalesce(x.auto, false) AND coalesce(m.auto, false)
  RETURN count(*) AS mentioned
}
CALL (k, l, loser) {
  MATCH (l)-[s:SUPPORTED_BY]->(d)
  MERGE (k)-[x:SUPPORTED_BY]->(d)
  ON CREATE SET x.source = s.source, x.addedAt = s.addedAt, x.quote = s.quote, x.parts = coalesce(s.parts, loser.parts)
  ON MATCH SET x.parts = coalesce(x.parts, []) + coalesce(s.parts, loser.parts)
  RETURN count(*) AS supported
}
WITH k, l, loser, l.directAt IS NOT NULL OR NOT EXISTS { (l)-[:SUPPORTED_BY]->() } AS direct
SET k.joinedDirect = k.joinedDirect + CASE WHEN l.joinedDirect IS NOT NULL THEN l.joinedDirect WHEN direct THEN loser.parts ELSE [] END,
  k.directAt = coalesce(k.directAt, l.directAt), k.directSource = coalesce(k.directSource, l.directSource)
