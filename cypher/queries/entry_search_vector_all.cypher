// entry_search_vector_all: the entries nearest to a vector among those of a part of a scope that fit, by looking at every one
// mode: read
// params: ws string, key string, dimensions int, vector list of float, limit int, those of the scope and the filter
// returns: id, score, thread
MATCH {{source}}
WHERE {{scope}} AND {{filter}}
WITH n, n[$key] AS vector
WHERE vector IS NOT NULL AND size(vector) = $dimensions
WITH n, vector.similarity.cosine(vector, $vector) AS score
WHERE score IS NOT NULL
ORDER BY score DESC, n.id
LIMIT $limit
RETURN n.id AS id, score, n.threadId AS thread
