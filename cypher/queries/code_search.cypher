// code_search: candidates of a full-text query over files and symbols
// mode: read
// params: ws string, query string (escaped Lucene, with the workspace's clause), limit int
// returns: n
CALL db.index.fulltext.queryNodes('code_text', $query, {limit: $limit}) YIELD node AS n
WHERE n.workspaceId = $ws
RETURN n
