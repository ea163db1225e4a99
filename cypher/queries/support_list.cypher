// support_list: what things of one kind rest on, oldest first
// mode: read
// params: ws string, ids list of string
// returns: id, support map
UNWIND $ids AS id
MATCH (n:{{kind}} {id: id})
WHERE n.workspaceId = $ws
CALL (n) {
  WITH n WHERE n.directAt IS NOT NULL
  RETURN {source: n.directSource, addedAt: n.directAt} AS support
  UNION ALL
  MATCH (n)-[r:SUPPORTED_BY]->(d)
  RETURN {
    docId: CASE WHEN d:Document THEN d.id END, taskId: CASE WHEN d:Task THEN d.id END, messageId: CASE WHEN d:Message THEN d.id END,
    quote: r.quote, source: r.source, addedAt: r.addedAt
  } AS support
}
RETURN id, support
ORDER BY id, support.addedAt
