// merge_links_set: gives links of one entity and nodes of one label other properties
// mode: write
// params: ws string, entity string, rows list of {type, outgoing bool, other, props map}
// returns: type, outgoing, other: of those that were there
MATCH (e:Entity {id: $entity})
UNWIND $rows AS row
MATCH (n:{{label}} {id: row.other})
WHERE n.workspaceId = $ws
MATCH (e)-[r]-(n)
WHERE type(r) = row.type AND (startNode(r) = e) = row.outgoing
SET r = row.props
RETURN row.type AS type, row.outgoing AS outgoing, row.other AS other
