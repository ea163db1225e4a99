// entry_search_vector: the entries nearest to a vector, by looking at every one of a part of a scope; what does not fit is left out of the nearest
// mode: read
// params: ws string, key string, dimensions int, vector list of float, nearest int, limit int, those of the scope and the filter
// returns: raw, how many nearest there were; hits list of {id, score, thread}
MATCH {{source}}
WITH n, n[$key] AS vector
WHERE vector IS NOT NULL AND size(vector) = $dimensions
WITH n, vector.similarity.cosine(vector, $vector) AS score
WHERE score IS NOT NULL
ORDER BY score DESC
LIMIT $nearest
WITH collect({n: n, score: score}) AS found
CALL (found) {
  UNWIND found AS f
  WITH f.n AS n, f.score AS score
  WHERE {{scope}} AND {{filter}}
  WITH n, score
  ORDER BY score DESC, n.id
  LIMIT $limit
  RETURN collect({id: n.id, score: score, thread: n.threadId}) AS hits
}
RETURN size(found) AS raw, hits
