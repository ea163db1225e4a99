// entry_set_vectors: stores the vectors of entries whose text is still the one that they were made of
// mode: write
// params: rows list of {id, hash, vector list of float}, key string, model string, modelKey string, dimensions int, at datetime
// returns: stored
UNWIND $rows AS row
MATCH (n:Entry {id: row.id})
WHERE n.contentHash = row.hash
CALL db.create.setNodeVectorProperty(n, $key, row.vector)
SET n.embeddingModel = $model, n.embeddingKey = $modelKey, n.embeddingDimensions = $dimensions, n.embeddingAt = $at
REMOVE n.awaitsVector
RETURN count(*) AS stored
