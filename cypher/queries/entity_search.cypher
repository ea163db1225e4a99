// entity_search: candidates of a full-text query over names and descriptions
// mode: read
// params: ws string, query string (escaped Lucene, with the workspace's clause), limit int
// returns: e, identities
CALL db.index.fulltext.queryNodes('entity_text', $query, {limit: $limit}) YIELD node AS e
WHERE e.workspaceId = $ws
RETURN e, [(i:Identity)-[:IDENTIFIES]->(e) | i {.kind, .value}] AS identities
