// entity_candidates: the entities that drafts could mean, locked and then read
// mode: write
// params: ws string, rows list of {type, key, identities list of {kind, value}}
// returns: e, identities
UNWIND $rows AS row
CALL (row) {
  UNWIND row.identities AS identity
  MATCH (:Identity {workspaceId: $ws, kind: identity.kind, value: identity.value})-[:IDENTIFIES]->(e:Entity)
  RETURN e
  UNION
  MATCH (e:Entity {workspaceId: $ws, normalizedName: row.key})
  WHERE e.type = row.type
  RETURN e
  UNION
  MATCH (:Alias {workspaceId: $ws, key: row.key})-[:ALIAS_OF]->(e:Entity)
  WHERE e.type = row.type
  RETURN e
}
WITH DISTINCT e
ORDER BY e.id
SET e.locked = true
REMOVE e.locked
RETURN e, [(i:Identity)-[:IDENTIFIES]->(e) | i {.kind, .value}] AS identities
