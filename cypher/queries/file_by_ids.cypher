// file_by_ids: the files of ids
// mode: read
// params: ws string, ids list of string
// returns: f
UNWIND $ids AS id
MATCH (f:SourceFile {id: id})
WHERE f.workspaceId = $ws
RETURN f
