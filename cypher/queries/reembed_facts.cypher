// reembed_facts: the edges or observations of a workspace, oldest first, behind a position, with what a vector is to be made of where it is missing
// mode: read
// params: ws string, vector string, how the property is called; limit int, key datetime and id of the position where there is one
// returns: id, createdAt, missing, content: the last only where it is missing
MATCH (n:{{kind}} {workspaceId: $ws})
WHERE {{from}}
WITH n
ORDER BY n.workspaceId, n.createdAt, n.id
LIMIT $limit
WITH n, n[$vector] IS NULL AS missing
RETURN n.id AS id, n.createdAt AS createdAt, missing, CASE WHEN missing THEN coalesce(n.text, n.name) END AS content
