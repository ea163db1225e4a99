// recall_fact_vector_index: the edges whose sentences are nearest to a vector, among those that the index finds, with exact scores
// mode: read
// params: ws string, index string, k int, key string, vector list of float, orgWide bool, contactId string, person string, asOf datetime, knownAt datetime or null
// returns: raw, how many the index gave; hits list of {id, score}
CALL db.index.vector.queryNodes($index, $k, $vector) YIELD node AS r
WITH collect(r) AS found
CALL (found) {
  UNWIND found AS r
  MATCH (a:Entity {id: r.src})
  MATCH (b:Entity {id: r.dst})
  WHERE r.workspaceId = $ws AND {{visible}} AND {{scope}}
  RETURN collect({id: r.id, score: vector.similarity.cosine(r[$key], $vector)}) AS hits
}
RETURN size(found) AS raw, hits
