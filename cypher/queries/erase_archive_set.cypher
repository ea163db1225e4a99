// erase_archive_set: replaces what was kept of a merge
// mode: write
// params: id string, archive string
// returns: nothing
MATCH (m:Merge {id: $id})
WHERE m.archive IS NOT NULL
SET m.archive = $archive
