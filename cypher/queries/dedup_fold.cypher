// dedup_fold: stores an entry with what others add to it: their contacts, mentions and supports too
// mode: write
// params: id string, losers list of string, props map
// returns: nothing
MATCH (k:Entry {id: $id})
SET k += $props
WITH k
UNWIND $losers AS loser
MATCH (l:Entry {id: loser})
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
CALL (k, l) {
  MATCH (l)-[s:SUPPORTED_BY]->(d)
  MERGE (k)-[x:SUPPORTED_BY]->(d)
  ON CREATE SET x.source = s.source, x.addedAt = s.addedAt, x.quote = s.quote
  RETURN count(*) AS supported
}
WITH k, l
WHERE k.directAt IS NULL AND l.directAt IS NOT NULL
SET k.directAt = l.directAt, k.directSource = l.directSource
