// entity_create: stores new entities
// mode: write
// params: ws string, rows list of {label, props map}
// returns: nothing
UNWIND $rows AS row
CREATE (e:Entity:$(row.label))
SET e = row.props, e.workspaceId = $ws
