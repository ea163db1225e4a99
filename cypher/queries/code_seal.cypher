// code_seal: notes that all of files is stored
// mode: write
// params: rows list of {id, hash}
// returns: nothing
UNWIND $rows AS row
MATCH (f:CodeNode {id: row.id})
SET f.partHash = row.hash
