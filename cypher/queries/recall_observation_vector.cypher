// recall_observation_vector: the observations nearest to a vector, by looking at every one
// mode: read
// params: ws string, key string, dimensions int, vector list of float, limit int, orgWide bool, contactId string, person string, asOf datetime or null, knownAt datetime or null
// returns: id, score
MATCH (o:Observation {workspaceId: $ws})
WHERE ($asOf IS NULL OR o.observedAt <= $asOf) AND ($knownAt IS NULL OR o.createdAt <= $knownAt)
WITH o, o[$key] AS vector
WHERE vector IS NOT NULL AND size(vector) = $dimensions
MATCH (a:Entity {id: o.entityId})
WHERE {{scope}}
WITH o, vector.similarity.cosine(vector, $vector) AS score
ORDER BY score DESC, o.id
LIMIT $limit
RETURN o.id AS id, score
