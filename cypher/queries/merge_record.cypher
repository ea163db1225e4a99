// merge_record: keeps a merge with what is needed to undo it
// mode: write
// params: props map
// returns: nothing
CREATE (m:Merge)
SET m = $props
