// cleanup_observation_supports: lets observations rest on what others rest on that go
// mode: write
// params: rows list of {id, into}
// returns: nothing
UNWIND $rows AS row
MATCH (l:Observation {id: row.id})
MATCH (k:Observation {id: row.into})
CALL (k, l) {
  MATCH (l)-[s:SUPPORTED_BY]->(d)
  MERGE (k)-[x:SUPPORTED_BY]->(d)
  ON CREATE SET x.source = s.source, x.addedAt = s.addedAt, x.quote = s.quote
  RETURN count(*) AS supported
}
WITH k, l
WHERE k.directAt IS NULL AND l.directAt IS NOT NULL
SET k.directAt = l.directAt, k.directSource = l.directSource
