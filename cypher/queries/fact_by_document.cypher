// fact_by_document: the edges that rest on a document
// mode: read
// params: ws string, doc string
// returns: f
MATCH (d:Document {workspaceId: $ws, id: $doc})<-[:SUPPORTED_BY]-(f:Fact)
RETURN f {
  .id, .workspaceId, .src, .dst, .type, .name, .properties, .confidence, .weight, .source, .validFrom, .validTo,
  .invalidatedAt, .createdAt, .priorEnds, .priorTold
} AS f
ORDER BY f.createdAt, f.id
