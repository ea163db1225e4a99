// merge_edges_facts: changes properties of facts; null removes one
// mode: write
// params: rows list of {id, set map}
// returns: nothing
UNWIND $rows AS row
MATCH (f:Fact {id: row.id})
SET f += row.set
