// entry_search_text: candidates of a text search; their order and the index's own scores mean nothing (SPEC T9)
// mode: read
// params: ws string, query string, limit int, long int, tokens list of string, those of the scope and the filter
// returns: raw, how many the index gave; hits list of {id, text, length, thread}
CALL db.index.fulltext.queryNodes('entry_text', $query, {limit: $limit}) YIELD node AS n
WITH collect(n) AS found
RETURN size(found) AS raw, [n IN found WHERE n.workspaceId = $ws AND {{scope}} AND {{filter}} | {
  id: n.id,
  text: CASE WHEN size(n.searchText) <= $long THEN n.searchText ELSE reduce(kept = '', token IN [w IN split(n.searchText, ' ') WHERE w IN $tokens] | kept + token + ' ') END,
  length: n.searchLength,
  thread: n.threadId
}] AS hits
