// code_cut: removes the edges that begin at files or at their symbols, and the symbols that they do not declare any more
// mode: write
// params: rows list of {id, symbols}
// returns: nothing
UNWIND $rows AS row
MATCH (f:CodeNode {id: row.id})
SET f.partHash = null
WITH f, row
CALL (f) {
  OPTIONAL MATCH (f)-[r]->()
  DELETE r
}
CALL (f, row) {
  MATCH (s:CodeSymbol {fileId: f.id})
  WHERE NOT s.id IN row.symbols
  DETACH DELETE s
}
CALL (f) {
  MATCH (s:CodeSymbol {fileId: f.id})-[r]->()
  DELETE r
}
