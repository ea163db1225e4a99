// merge_links_in: joins nodes of one label to entities
// mode: write
// params: ws string, rows list of {entity, type, other, props map}
// returns: nothing
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity})
WITH row, e
MATCH (n:{{label}} {id: row.other})
WHERE n.workspaceId = $ws
CREATE (n)-[r:$(row.type)]->(e)
SET r = row.props
