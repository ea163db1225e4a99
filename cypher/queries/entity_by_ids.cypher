// entity_by_ids: entities by id, also by an id that was merged away
// mode: read
// params: ws string, ids list of string
// returns: asked, e, identities
// An id is looked for once more after the redirects: one that is just being separated from
// another entity may have had neither yet when each was looked at.
UNWIND $ids AS asked
CALL (asked) {
  MATCH (e:Entity {id: asked})
  WHERE e.workspaceId = $ws
  RETURN e
  UNION
  MATCH (r:Redirect {id: asked})
  WHERE r.workspaceId = $ws
  MATCH (e:Entity {id: r.to})
  WHERE e.workspaceId = $ws
  RETURN e
  UNION
  MATCH (e:Entity {id: asked})
  WHERE e.workspaceId = $ws
  RETURN e
}
RETURN asked, e, [(i:Identity)-[:IDENTIFIES]->(e) | i {.kind, .value}] AS identities
