// entry_search_vector_index: the entries nearest to a vector, among those that the index finds, with exact scores
// mode: read
// params: ws string, index string, k int, key string, vector list of float, limit int, those of the scope and the filter
// returns: raw, how many the index gave; hits list of {id, score, thread}
CALL db.index.vector.queryNodes($index, $k, $vector) YIELD node AS n
WITH collect(n) AS found
RETURN size(found) AS raw, [n IN found WHERE n.workspaceId = $ws AND {{part}} AND {{scope}} AND {{filter}} | {id: n.id, score: vector.similarity.cosine(n[$key], $vector), thread: n.threadId}] AS hits
