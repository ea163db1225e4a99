// edge_registry_find: which edge types have a relationship type of their own
// mode: read
// params: keys list of string
// returns: key
UNWIND $keys AS key
MATCH (t:RegisteredType {key: key})
RETURN t.key AS key
