// edge_registry_add: gives edge types a relationship type of their own, for ever
// mode: write
// params: ws string, keys list of string
// returns: nothing
UNWIND $keys AS key
MERGE (t:RegisteredType {key: key})
ON CREATE SET t.name = key, t.registeredBy = $ws
