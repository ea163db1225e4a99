// merge_links_drop: takes links of one entity and nodes of one label away
// mode: write
// params: ws string, entity string, links map by type, > or < for its direction, and the other's id
// returns: type, outgoing, other: of those that were there
MATCH (e:Entity {id: $entity})-[r]-(n:{{label}})
WHERE n.workspaceId = $ws
WITH r, type(r) AS type, startNode(r) = e AS outgoing, n.id AS other
WHERE $links[type + CASE WHEN outgoing THEN '>' ELSE '<' END + other] IS NOT NULL
DELETE r
RETURN type, outgoing, other
