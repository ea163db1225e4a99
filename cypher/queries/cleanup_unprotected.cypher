// cleanup_unprotected: those of some entities that only the machine spoke of (SPEC H6), and that no entry is about
// mode: read
// params: ws string, ids list of string
// returns: id
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.workspaceId = $ws AND e.source = 'auto'
  AND NOT EXISTS { (e)-[r]-(:Entity) WHERE coalesce(r.source, 'manual') <> 'auto' }
  AND NOT EXISTS { (e)<-[:OBSERVED_ON]-(o:Observation) WHERE coalesce(o.source, 'manual') <> 'auto' }
  AND NOT EXISTS { (e)<-[:ABOUT]-(:Entry) }
RETURN e.id AS id
