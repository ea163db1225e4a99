// cleanup_employments: the automatic edges that say that somebody works at one of some organisations
// mode: read
// params: ws string, ids list of string
// returns: id
UNWIND $ids AS id
MATCH (e:Entity {id: id})<-[r]-(:Entity)
WHERE e.workspaceId = $ws AND r.type = 'works_at' AND r.source = 'auto'
RETURN r.id AS id
