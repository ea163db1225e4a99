// entry_beside: the entries that stand beside others in their threads, inside the selection
// mode: read
// params: ws string, ids list of string, reach int, those of the scope and the filter
// returns: id, thread, after list of string and before list of string, the nearest first
UNWIND $ids AS id
MATCH (m:Entry {id: id})
WHERE m.workspaceId = $ws AND m.threadId IS NOT NULL
CALL (m) {
  MATCH (n:Entry {workspaceId: $ws, threadId: m.threadId})
  WHERE n.validFrom >= m.validFrom AND (n.validFrom > m.validFrom OR n.id > m.id) AND {{scope}} AND {{filter}}
  WITH n
  ORDER BY n.validFrom, n.id
  LIMIT $reach
  RETURN collect(n.id) AS after
}
CALL (m) {
  MATCH (n:Entry {workspaceId: $ws, threadId: m.threadId})
  WHERE n.validFrom <= m.validFrom AND (n.validFrom < m.validFrom OR n.id < m.id) AND {{scope}} AND {{filter}}
  WITH n
  ORDER BY n.validFrom DESC, n.id DESC
  LIMIT $reach
  RETURN collect(n.id) AS before
}
RETURN id, m.threadId AS thread, after, before
