// walk_step: one hop from each of some entities, at most $per edges of each
// mode: read
// params: ws string, ids list of string, per int
// returns: near, far, type, outgoing, r
UNWIND $ids AS near
MATCH (s:Entity {id: near})
WHERE s.workspaceId = $ws
CALL (s) {
  MATCH (s){{left}}[r{{types}}]{{right}}(n)
  WHERE {{fits}}
  RETURN r, n
  LIMIT $per
}
RETURN near, n.id AS far, n.type AS type, startNode(r) = s AS outgoing, r
