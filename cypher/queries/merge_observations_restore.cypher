// merge_observations_restore: stores observations as they were before they were dropped
// mode: write
// params: rows list of {labels list of string, props map}
// returns: nothing
UNWIND $rows AS row
MATCH (e:Entity {id: row.props.entityId})
CREATE (o:$(row.labels))-[:OBSERVED_ON]->(e)
SET o = row.props
