// node_relation_workspace: the workspaces that hold relations
// mode: read
// params: ids list of string
// returns: id, ws
UNWIND $ids AS id
CALL (id) {
  MATCH ()-[r:ENTRY_SUPPORTS {id: id}]->()
  RETURN r
  UNION
  MATCH ()-[r:ENTRY_CONTRADICTS {id: id}]->()
  RETURN r
  UNION
  MATCH ()-[r:ENTRY_SUPERSEDES {id: id}]->()
  RETURN r
  UNION
  MATCH ()-[r:ENTRY_RELATES_TO {id: id}]->()
  RETURN r
  UNION
  MATCH ()-[r:ENTRY_CAUSES {id: id}]->()
  RETURN r
  UNION
  MATCH ()-[r:ENTRY_BLOCKS {id: id}]->()
  RETURN r
}
RETURN id, r.workspaceId AS ws
