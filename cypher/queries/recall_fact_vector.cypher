// recall_fact_vector: the edges whose sentences are nearest to a vector, by looking at every one
// mode: read
// params: ws string, key string, dimensions int, vector list of float, limit int, orgWide bool, contactId string, person string, asOf datetime, knownAt datetime or null
// returns: id, score
MATCH (r:Fact {workspaceId: $ws})
WHERE {{visible}}
WITH r, r[$key] AS vector
WHERE vector IS NOT NULL AND size(vector) = $dimensions
MATCH (a:Entity {id: r.src})
MATCH (b:Entity {id: r.dst})
WHERE {{scope}}
WITH r, vector.similarity.cosine(vector, $vector) AS score
ORDER BY score DESC, r.id
LIMIT $limit
RETURN r.id AS id, score
