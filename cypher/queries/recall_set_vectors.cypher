// recall_set_vectors: stores the vectors of edges or observations, whose texts do not change
// mode: write
// params: rows list of {id, vector list of float}, key string
// returns: stored
UNWIND $rows AS row
MATCH (n:{{kind}} {id: row.id})
CALL db.create.setNodeVectorProperty(n, $key, row.vector)
REMOVE n.awaitsVector
RETURN count(*) AS stored
