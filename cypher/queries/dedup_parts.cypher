// dedup_parts: entries whose content was joined from several, with the parts of it that something supports. What supports
// such an entry since supports all of it, and the entry is passed over
// mode: read
// params: ws string, ids list of string
// returns: n, mentionIds, supported
UNWIND $ids AS id
MATCH (n:Entry {id: id})
WHERE n.workspaceId = $ws AND n.joined IS NOT NULL AND NOT EXISTS { (n)-[r:SUPPORTED_BY]->() WHERE r.parts IS NULL }
WITH n, COLLECT { MATCH (n)-[r:SUPPORTED_BY]->() UNWIND r.parts AS part RETURN DISTINCT part } AS supported
RETURN {{entry}}, supported
