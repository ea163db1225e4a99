// entry_vector_gaps: entries that the vector search of a model cannot find
// mode: read
// params: ws string, modelKey string
// returns: awaiting, how many wait for their vector; otherModel, the name of another model that made some vectors, or null
CALL () {
  MATCH (n:Entry {awaitsVector: $modelKey, workspaceId: $ws})
  USING INDEX SEEK n:Entry(awaitsVector, workspaceId)
  RETURN count(n) AS awaiting
}
CALL () {
  OPTIONAL MATCH (n:Entry {workspaceId: $ws})
  USING INDEX SEEK n:Entry(workspaceId, embeddingKey)
  WHERE n.embeddingKey < $modelKey
  WITH n LIMIT 1
  RETURN n.embeddingModel AS below
}
CALL () {
  OPTIONAL MATCH (n:Entry {workspaceId: $ws})
  USING INDEX SEEK n:Entry(workspaceId, embeddingKey)
  WHERE n.embeddingKey > $modelKey
  WITH n LIMIT 1
  RETURN n.embeddingModel AS above
}
RETURN awaiting, coalesce(below, above) AS otherModel
