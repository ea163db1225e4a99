// edge_registry_lock: lets one writer at a time register edge types, and counts those that were
// mode: write
// params: ws string
// returns: all, own
MATCH (first:RegisteredType {key: 'related_to'})
SET first.locked = true
REMOVE first.locked
WITH first
MATCH (t:RegisteredType)
WHERE t.registeredBy IS NOT NULL
RETURN count(t) AS all, count(CASE WHEN t.registeredBy = $ws THEN 1 END) AS own
