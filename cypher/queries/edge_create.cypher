// edge_create: stores edges, each as relationship of its own type and as Fact
// mode: write
// params: rows list of {relType, src, dst, currentKey, endedKey, directSource, directAt, id, workspaceId, type, name, properties, confidence,
// weight, source, validFrom, validTo, createdAt, invalidatedAt, priorEnds, priorTold, searchText, awaitsVector}
// returns: created
UNWIND $rows AS row
MATCH (a:Entity {id: row.src})
MATCH (b:Entity {id: row.dst})
CREATE (a)-[:$(row.relType) {
  id: row.id, workspaceId: row.workspaceId, type: row.type, name: row.name, properties: row.properties, confidence: row.confidence,
  weight: row.weight, source: row.source, validFrom: row.validFrom, validTo: row.validTo, createdAt: row.createdAt,
  invalidatedAt: row.invalidatedAt, priorEnds: row.priorEnds, priorTold: row.priorTold
}]->(b)
CREATE (:Fact {
  id: row.id, workspaceId: row.workspaceId, type: row.type, name: row.name, properties: row.properties, confidence: row.confidence,
  weight: row.weight, source: row.source, validFrom: row.validFrom, validTo: row.validTo, createdAt: row.createdAt,
  invalidatedAt: row.invalidatedAt, priorEnds: row.priorEnds, priorTold: row.priorTold,
  searchText: row.searchText, awaitsVector: row.awaitsVector, src: row.src, dst: row.dst, currentKey: row.currentKey, endedKey: row.endedKey, directSource: row.directSource, directAt: row.directAt
})
RETURN count(*) AS created
