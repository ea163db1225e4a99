// merge_observations_move: gives observations to other entities
// mode: write
// params: rows list of {id, to}
// returns: nothing
UNWIND $rows AS row
MATCH (o:Observation {id: row.id})-[r:OBSERVED_ON]->(:Entity)
DELETE r
WITH o, row
MATCH (e:Entity {id: row.to})
CREATE (o)-[:OBSERVED_ON]->(e)
SET o.entityId = row.to
