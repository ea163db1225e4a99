// observation_raise: gives observations a stronger source
// mode: write
// params: rows list of {id, source}
// returns: nothing
UNWIND $rows AS row
MATCH (o:Observation {id: row.id})
SET o.source = row.source
