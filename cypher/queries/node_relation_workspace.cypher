// node_relation_workspace: the workspace that holds a relation of an id
// mode: read
// params: id string
// returns: ws
CALL () {
  MATCH ()-[r:ENTRY_SUPPORTS {id: $id}]->()
  RETURN r
  UNION
  MATCH ()-[r:ENTRY_CONTRADICTS {id: $id}]->()
  RETURN r
  UNION
  MATCH ()-[r:ENTRY_SUPERSEDES {id: $id}]->()
  RETURN r
  UNION
  MATCH ()-[r:ENTRY_RELATES_TO {id: $id}]->()
  RETURN r
  UNION
  MATCH ()-[r:ENTRY_CAUSES {id: $id}]->()
  RETURN r
  UNION
  MATCH ()-[r:ENTRY_BLOCKS {id: $id}]->()
  RETURN r
}
RETURN r.workspaceId AS ws
