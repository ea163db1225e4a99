// recall_observation_text: candidates among observations; their order and the index's own scores mean nothing
// mode: read
// params: ws string, query string, limit int, orgWide bool, contactId string, person string, asOf datetime or null, knownAt datetime or null
// returns: raw, how many the index gave; hits list of {id, text}
CALL db.index.fulltext.queryNodes('observation_entity_text', $query, {limit: $limit}) YIELD node AS o
WITH collect(o) AS found
CALL (found) {
  UNWIND found AS o
  MATCH (a:Entity {id: o.entityId})
  WHERE o.workspaceId = $ws AND {{scope}}
    AND ($asOf IS NULL OR o.observedAt <= $asOf) AND ($knownAt IS NULL OR o.createdAt <= $knownAt)
  RETURN collect({id: o.id, text: o.searchText}) AS hits
}
RETURN size(found) AS raw, hits
