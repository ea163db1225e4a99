// file_unsupport: takes a file's support away from entries and gives those that are left with none
// mode: write
// params: ws string, id string, entries list of string
// returns: id
UNWIND $entries AS entry
MATCH (n:Entry {id: entry})-[r:SUPPORTED_BY]->(d:Document {workspaceId: $ws, id: $id})
DELETE r
WITH DISTINCT n
WHERE n.directAt IS NULL AND NOT EXISTS { (n)-[:SUPPORTED_BY]->() }
RETURN n.id AS id
ORDER BY id
