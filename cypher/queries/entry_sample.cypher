// entry_sample: the analysed texts of the newest entries of a workspace, for statistics; long ones are cut
// mode: read
// params: ws string, limit int, long int
// returns: text, length
MATCH (n:Entry {workspaceId: $ws})
WHERE n.createdAt IS NOT NULL
WITH n
ORDER BY n.createdAt DESC, n.id DESC
LIMIT $limit
RETURN left(n.searchText, $long) AS text, n.searchLength AS length
