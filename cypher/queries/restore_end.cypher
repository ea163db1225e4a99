// restore_end: takes the mark of a restored workspace away
// mode: write
// params: ws string
// returns: nothing
MATCH (w:Workspace {id: $ws})
REMOVE w.restoring
