// edge_type_rules: how edge types of a workspace behave, those that it knows
// mode: read
// params: ws string, keys list of string
// returns: t
UNWIND $keys AS key
MATCH (t:EdgeType {workspaceId: $ws, key: key})
RETURN t
