// merge_support_indirect: takes the writer's own word away from things
// mode: write
// params: ids list of string
// returns: nothing
UNWIND $ids AS id
MATCH (n:{{kind}} {id: id})
REMOVE n.directAt, n.directSource
