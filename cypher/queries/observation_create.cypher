// observation_create: stores observations
// mode: write
// params: rows list of {entityId, props map}
// returns: created
UNWIND $rows AS row
MATCH (e:Entity {id: row.entityId})
CREATE (o:Observation)-[:OBSERVED_ON]->(e)
SET o = row.props
RETURN count(o) AS created
