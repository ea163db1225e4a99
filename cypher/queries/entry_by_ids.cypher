// entry_by_ids: the entries of ids
// mode: read
// params: ws string, ids list of string
// returns: n, mentionIds
UNWIND $ids AS id
MATCH (n:Entry {id: id})
WHERE n.workspaceId = $ws
RETURN {{entry}}
