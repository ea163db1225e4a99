// recall_fact_vector: the edges whose sentences are nearest to a vector, by looking at every one
// mode: read
// params: ws string, key string, dimensions int, vector list of float, limit int, orgWide bool, contactId string, person string, asOf datetime, knownAt datetime or null
// returns: id, score
MATCH (r:Fact {workspaceId: $ws})
WHERE r[$key] IS NOT NULL AND size(r[$key]) = $dimensions AND {{visible}}
MATCH (a:Entity {id: r.src})
MATCH (b:Entity {id: r.dst})
WHERE {{scope}}
WITH r, vector.similarity.cosine(r[$key], $vector) AS score
ORDER BY score DESC, r.id
LIMIT $limit
RETURN r.id AS id, score
