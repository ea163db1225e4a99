// fact_by_keys: the edges of a type between two entities, whether they have an end or not
// mode: read
// params: keys list of string
// returns: f
UNWIND $keys AS key
CALL (key) {
  MATCH (f:Fact {currentKey: key})
  RETURN f
  UNION ALL
  MATCH (f:Fact {endedKey: key})
  RETURN f
}
RETURN f {
  .id, .workspaceId, .src, .dst, .type, .name, .properties, .confidence, .weight, .source, .validFrom, .validTo,
  .invalidatedAt, .createdAt, .priorEnds, .priorTold
} AS f
