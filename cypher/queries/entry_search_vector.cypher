// entry_search_vector: the entries nearest to a vector, by looking at every one of a part of a scope
// mode: read
// params: ws string, key string, dimensions int, vector list of float, limit int, those of the scope and the filter
// returns: id, score, thread
MATCH {{source}}
WHERE n[$key] IS NOT NULL AND size(n[$key]) = $dimensions AND {{scope}} AND {{filter}}
WITH n, vector.similarity.cosine(n[$key], $vector) AS score
WHERE score IS NOT NULL
ORDER BY score DESC, n.id
LIMIT $limit
RETURN n.id AS id, score, n.threadId AS thread
