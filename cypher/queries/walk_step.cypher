// walk_step: one hop from each of some entities, at most $per edges of each and $most in all; whole: with the edges' properties
// mode: read
// params: ws string, ids list of string, per int, most int, whole bool, asOf datetime, knownAt datetime or null, types list of string, relTypes list
// of string, symmetric list of string
// returns: near, steps list of [far, type, outgoing, id, confidence, createdAt, r or null], a row for each entity
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
RETURN near, collect([n.id, n.type, startNode(r) = s, r.id, r.confidence, r.createdAt, CASE WHEN $whole THEN r END]) AS steps
