// edge_count_of_entities: how many edges each of some entities has
// mode: read
// params: ws string, ids list of string
// returns: id, count
UNWIND $ids AS id
MATCH (s:Entity {id: id})
WHERE s.workspaceId = $ws
CALL (s) {
  MATCH (s){{left}}[r{{types}}]{{right}}()
  WHERE {{fits}}
  RETURN count(r) AS count
}
RETURN id, count
