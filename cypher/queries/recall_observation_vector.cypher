// recall_observation_vector: the observations nearest to a vector, by looking at every one
// mode: read
// params: ws string, key string, dimensions int, vector list of float, limit int, orgWide bool, contactId string, person string, asOf datetime or null, knownAt datetime or null
// returns: id, score
MATCH (o:Observation {workspaceId: $ws})
WHERE o[$key] IS NOT NULL AND size(o[$key]) = $dimensions
  AND ($asOf IS NULL OR o.observedAt <= $asOf) AND ($knownAt IS NULL OR o.createdAt <= $knownAt)
MATCH (a:Entity {id: o.entityId})
WHERE {{scope}}
WITH o, vector.similarity.cosine(o[$key], $vector) AS score
ORDER BY score DESC, o.id
LIMIT $limit
RETURN o.id AS id, score
