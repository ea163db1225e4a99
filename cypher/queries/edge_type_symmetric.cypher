// edge_type_symmetric: the edge types of a workspace that have no direction
// mode: read
// params: ws string
// returns: key
MATCH (t:EdgeType {workspaceId: $ws})
WHERE t.key IS NOT NULL AND t.symmetric
RETURN t.key AS key
