// merge_undone: marks a merge as taken back; what was kept to undo it goes
// mode: write
// params: id string, at datetime, actor string
// returns: nothing
MATCH (m:Merge {id: $id})
SET m.undoneAt = $at, m.undoneBy = $actor
REMOVE m.archive
