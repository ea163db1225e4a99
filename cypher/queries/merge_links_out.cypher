// merge_links_out: joins entities to nodes of one label
// mode: write
// params: ws string, rows list of {entity, type, other, props map}
// returns: nothing
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity})
WITH row, e
MATCH (n:{{label}} {id: row.other})
WHERE n.workspaceId = $ws
CREATE (e)-[r:$(row.type)]->(n)
SET r = row.props
