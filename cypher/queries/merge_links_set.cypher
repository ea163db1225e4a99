// merge_links_set: gives links of one entity and nodes of one label other properties
// mode: write
// params: ws string, entity string, links map of properties by type, > or < for its direction, and the other's id
// returns: type, outgoing, other: of those that were there
MATCH (e:Entity {id: $entity})-[r]-(n:{{label}})
WHERE n.workspaceId = $ws
WITH r, type(r) AS type, startNode(r) = e AS outgoing, n.id AS other
WITH r, type, outgoing, other, $links[type + CASE WHEN outgoing THEN '>' ELSE '<' END + other] AS props
WHERE props IS NOT NULL
SET r = props
RETURN type, outgoing, other
