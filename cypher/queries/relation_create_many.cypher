// relation_create_many: joins pairs of entries by relations of one type
// mode: write
// params: rows list of {fromId, toId, props map}
// returns: nothing
UNWIND $rows AS row
MATCH (a:Entry {id: row.fromId})
MATCH (b:Entry {id: row.toId})
CREATE (a)-[r:{{type}}]->(b)
SET r = row.props
