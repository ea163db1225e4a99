// file_delete: removes a file and the document that its entries rested on
// mode: write
// params: ws string, id string
// returns: nothing
MATCH (f:SourceFile {id: $id})
WHERE f.workspaceId = $ws
OPTIONAL MATCH (d:Document {workspaceId: $ws, id: $id})
DETACH DELETE f, d
