// entity_search_observations: entities whose observations a full-text query finds
// mode: read
// params: ws string, query string (escaped Lucene, with the workspace's clause), types list of string, limit int
// returns: e, identities, texts of the found observations
CALL db.index.fulltext.queryNodes('observation_text', $query, {limit: $limit}) YIELD node AS o
WHERE o.workspaceId = $ws
MATCH (o)-[:OBSERVED_ON]->(e:Entity)
WHERE size($types) = 0 OR e.type IN $types
WITH e, collect(o.searchText) AS texts
RETURN e, texts, [(i:Identity)-[:IDENTIFIES]->(e) | i {.kind, .value}] AS identities
