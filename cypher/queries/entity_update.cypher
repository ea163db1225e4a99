// entity_update: stores changed entities, under another label where their type changed
// mode: write
// params: ws string, rows list of {id, props map, old, new, relabel bool}
// returns: nothing
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
WHERE e.workspaceId = $ws
SET e += row.props
WITH e, row WHERE row.relabel
REMOVE e:$(row.old)
SET e:$(row.new)
