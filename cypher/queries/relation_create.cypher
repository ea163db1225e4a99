// relation_create: joins two entries
// mode: write
// params: fromId string, toId string, props map
// returns: nothing
MATCH (a:Entry {id: $fromId})
MATCH (b:Entry {id: $toId})
CREATE (a)-[r:{{type}}]->(b)
SET r = $props
