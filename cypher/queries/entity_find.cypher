// entity_find: the entities that answer to references, the better tier first
// mode: read
// params: ws string, rows list of {i, id, key, slug, type, kind, value}, empty where not given
// returns: i, tier, e, identities
// An id is looked for once more after the redirects: one that is just being separated from
// another entity may have had neither yet when each was looked at.
UNWIND $rows AS row
CALL (row) {
  WITH row WHERE row.id <> ''
  MATCH (e:Entity {id: row.id})
  WHERE e.workspaceId = $ws
  RETURN e, 0 AS tier
  UNION
  WITH row WHERE row.id <> ''
  MATCH (r:Redirect {id: row.id})
  WHERE r.workspaceId = $ws
  MATCH (e:Entity {id: r.to})
  WHERE e.workspaceId = $ws
  RETURN e, 0 AS tier
  UNION
  WITH row WHERE row.id <> ''
  MATCH (e:Entity {id: row.id})
  WHERE e.workspaceId = $ws
  RETURN e, 0 AS tier
  UNION
  WITH row WHERE row.kind <> ''
  MATCH (:Identity {workspaceId: $ws, kind: row.kind, value: row.value})-[:IDENTIFIES]->(e:Entity)
  RETURN e, 0 AS tier
  UNION
  WITH row WHERE row.key <> ''
  MATCH (e:Entity {workspaceId: $ws, normalizedName: row.key})
  WHERE row.type = '' OR e.type = row.type
  RETURN e, 1 AS tier
  UNION
  WITH row WHERE row.key <> ''
  MATCH (:Alias {workspaceId: $ws, key: row.key})-[:ALIAS_OF]->(e:Entity)
  WHERE row.type = '' OR e.type = row.type
  RETURN e, 1 AS tier
  UNION
  WITH row WHERE row.slug <> ''
  MATCH (e:Entity {workspaceId: $ws, slug: row.slug})
  WHERE (row.type = '' OR e.type = row.type) AND e.normalizedName <> row.key
  RETURN e, 2 AS tier
}
WITH row.i AS i, min(tier) AS tier, e
RETURN i, tier, e, [(x:Identity)-[:IDENTIFIES]->(e) | x {.kind, .value}] AS identities
ORDER BY i, tier, e.id
