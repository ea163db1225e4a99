// file_write: stores a new or changed file
// mode: write
// params: ws string, path string, props map
// returns: nothing
MERGE (f:SourceFile {workspaceId: $ws, path: $path})
SET f += $props
