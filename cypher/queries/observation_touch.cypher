// observation_touch: notes that entities were seen again
// mode: write
// params: ids list of string, at datetime
// returns: nothing
UNWIND $ids AS id
MATCH (e:Entity {id: id})
SET e.lastSeenAt = $at
