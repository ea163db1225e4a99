// code_drop: removes files with their symbols
// mode: write
// params: ids list of string
// returns: nothing
UNWIND $ids AS id
MATCH (f:CodeNode {id: id})
CALL (f) {
  MATCH (s:CodeSymbol {fileId: f.id})
  DETACH DELETE s
}
DETACH DELETE f
