// recall_observation_vector_index: the observations nearest to a vector, among those that the index finds, with exact scores
// mode: read
// params: ws string, index string, k int, key string, vector list of float, orgWide bool, contactId string, person string, asOf datetime or null, knownAt datetime or null
// returns: raw, how many the index gave; hits list of {id, score}
CALL db.index.vector.queryNodes($index, $k, $vector) YIELD node AS o
WITH collect(o) AS found
CALL (found) {
  UNWIND found AS o
  MATCH (a:Entity {id: o.entityId})
  WHERE o.workspaceId = $ws AND {{scope}}
    AND ($asOf IS NULL OR o.observedAt <= $asOf) AND ($knownAt IS NULL OR o.createdAt <= $knownAt)
  RETURN collect({id: o.id, score: vector.similarity.cosine(o[$key], $vector)}) AS hits
}
RETURN size(found) AS raw, hits
