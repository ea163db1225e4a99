// expansion_undo: removes the relations of a page of entries that one origin made and nothing else has confirmed
// mode: write
// params: ws string, ids list of string, origin string
// returns: deleted
UNWIND $ids AS id
MATCH (n:Entry {id: id})-[r:ENTRY_RELATES_TO]->(:Entry)
WHERE n.workspaceId = $ws AND r.origin = $origin
DELETE r
RETURN count(*) AS deleted
