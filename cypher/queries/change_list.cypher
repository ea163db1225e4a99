// change_list: what was told of one kind between two moments, newest first, behind a position
// mode: read
// params: ws string, since datetime, until datetime, before datetime, source string, key string, limit int, about string or null, ids list of string, action string
// returns: id, at, actor, entity
{{match}}
WHERE n.{{at}} >= $since AND n.{{at}} < $until AND n.{{at}} <= $before
  AND (n.{{at}} < $before OR $source + ' ' + n.id < $key) {{where}}
WITH n
ORDER BY n.workspaceId DESC, n.{{at}} DESC, n.id DESC
LIMIT $limit
RETURN n.id AS id, n.{{at}} AS at, {{actor}} AS actor, n.keepId AS entity
