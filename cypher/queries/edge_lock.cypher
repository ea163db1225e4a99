// edge_lock: locks entities in the order in which they are given
// mode: write
// params: ids list of string
// returns: nothing
UNWIND $ids AS id
MATCH (e:Entity {id: id})
SET e.locked = true
REMOVE e.locked
