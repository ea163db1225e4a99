// entry_vectors: the stored vectors of entries, those that have one of a model
// mode: read
// params: ws string, ids list of string, key string, dimensions int
// returns: id, vector
UNWIND $ids AS id
MATCH (n:Entry {id: id})
WHERE n.workspaceId = $ws AND n[$key] IS NOT NULL AND size(n[$key]) = $dimensions
RETURN n.id AS id, n[$key] AS vector
