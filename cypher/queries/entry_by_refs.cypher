// entry_by_refs: the entries that ids and source ids name
// mode: read
// params: ws string, refs list of {i, id, sourceId}, empty where not given
// returns: i, n, mentionIds
UNWIND $refs AS ref
CALL (ref) {
  WITH ref WHERE ref.id <> ''
  MATCH (n:Entry {id: ref.id})
  WHERE n.workspaceId = $ws
  RETURN n
  UNION
  WITH ref WHERE ref.sourceId <> ''
  MATCH (n:Entry {workspaceId: $ws, sourceId: ref.sourceId})
  RETURN n
  ORDER BY n.id
  LIMIT 2
}
RETURN ref.i AS i, {{entry}}
