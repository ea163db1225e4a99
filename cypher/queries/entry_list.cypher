// entry_list: the entries that fit a filter, newest first or oldest first, from a position on
// mode: read
// params: ws string, those of the filter, limit int, key datetime and id of the position where there is one
// returns: n, mentionIds
MATCH {{source}}
WHERE {{from}}
  AND {{filter}}
WITH DISTINCT n
ORDER BY n.createdAt {{direction}}, n.id {{direction}}
LIMIT $limit
RETURN {{entry}}
