// entry_twins: the entries that new ones may repeat, by content or by source
// mode: read
// params: ws string, keys list of {source, sourceId or null, title, hash}
// returns: n, mentionIds
UNWIND $keys AS key
CALL (key) {
  MATCH (n:Entry {workspaceId: $ws, contentHash: key.hash})
  RETURN n
  UNION
  MATCH (n:Entry {workspaceId: $ws, sourceId: key.sourceId})
  WHERE n.source = key.source AND n.title = key.title
  RETURN n
}
WITH DISTINCT n
RETURN {{entry}}
