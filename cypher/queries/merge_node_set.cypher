// merge_node_set: makes an entity what it was
// mode: write
// params: id string, props map
// returns: nothing
MATCH (e:Entity {id: $id})
SET e = $props
