// walk_step: one hop from each of some entities, at most $per edges of each and $most in all; whole: with the edges' properties
// mode: read
// params: ws string, ids list of string, per int, most int, whole bool, asOf datetime, knownAt datetime or null, types list of string, relTypes list
// of string, symmetric list of string
// returns: near, far, type, outgoing, id, confidence, createdAt, r or null
UNWIND $ids AS near
MATCH (s:Entity {id: near})
WHERE s.workspaceId = $ws
CALL (s) {
  MATCH (s){{left}}[r{{types}}]{{right}}(n)
  WHERE {{fits}}
  RETURN r, n
  LIMIT $per
}
WITH near, s, r, n
LIMIT $most
RETURN near, n.id AS far, n.type AS type, startNode(r) = s AS outgoing,
  r.id AS id, r.confidence AS confidence, r.createdAt AS createdAt, CASE WHEN $whole THEN r END AS r
