// fact_by_ids: edges by id
// mode: read
// params: ws string, ids list of string
// returns: f
UNWIND $ids AS id
MATCH (f:Fact {id: id})
WHERE f.workspaceId = $ws
RETURN f {
  .id, .workspaceId, .src, .dst, .type, .name, .properties, .confidence, .weight, .source, .validFrom, .validTo,
  .invalidatedAt, .createdAt, .priorEnds, .priorTold
} AS f
