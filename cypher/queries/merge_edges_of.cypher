// merge_edges_of: the edges of entities, of all times
// mode: read
// params: ids list of string
// returns: f
UNWIND $ids AS id
MATCH (:Entity {id: id})-[r]-(:Entity)
WITH DISTINCT r
RETURN r {
  .id, .workspaceId, .type, .name, .properties, .confidence, .weight, .source, .validFrom, .validTo,
  .invalidatedAt, .createdAt, .priorEnds, .priorTold, src: startNode(r).id, dst: endNode(r).id
} AS f
ORDER BY f.id
