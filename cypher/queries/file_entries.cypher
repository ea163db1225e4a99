// file_entries: the entries that rest on a file
// mode: read
// params: ws string, id string
// returns: id, title, hash
MATCH (d:Document {workspaceId: $ws, id: $id})<-[:SUPPORTED_BY]-(n:Entry)
RETURN n.id AS id, n.title AS title, n.contentHash AS hash
ORDER BY id
