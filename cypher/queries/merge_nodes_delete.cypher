// merge_nodes_delete: removes entities on which nothing hangs any more. What was hung on them meanwhile
// breaks the transaction, so that it is decided anew; DETACH would lose it
// mode: write
// params: ws string, ids list of string
// returns: nothing
UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.workspaceId = $ws
DELETE e
