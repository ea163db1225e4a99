// recall_fact_text: candidates among the sentences of edges; their order and the index's own scores mean nothing
// mode: read
// params: ws string, query string, limit int, orgWide bool, contactId string, person string, asOf datetime, knownAt datetime or null
// returns: raw, how many the index gave; hits list of {id, text}
CALL db.index.fulltext.queryNodes('fact_text', $query, {limit: $limit}) YIELD node AS r
WITH collect(r) AS found
CALL (found) {
  UNWIND found AS r
  MATCH (a:Entity {id: r.src})
  MATCH (b:Entity {id: r.dst})
  WHERE r.workspaceId = $ws AND {{visible}} AND {{scope}}
  RETURN collect({id: r.id, text: r.searchText}) AS hits
}
RETURN size(found) AS raw, hits
