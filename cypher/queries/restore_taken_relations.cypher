// restore_taken_relations: which ids of relations are taken, and by which workspaces
// mode: read
// params: ids list of string
// returns: id, workspaceId
UNWIND $ids AS id
CALL (id) {
  MATCH (:Entry)-[r:ENTRY_SUPPORTS {id: id}]->(:Entry) RETURN r.workspaceId AS workspaceId
  UNION
  MATCH (:Entry)-[r:ENTRY_CONTRADICTS {id: id}]->(:Entry) RETURN r.workspaceId AS workspaceId
  UNION
  MATCH (:Entry)-[r:ENTRY_SUPERSEDES {id: id}]->(:Entry) RETURN r.workspaceId AS workspaceId
  UNION
  MATCH (:Entry)-[r:ENTRY_RELATES_TO {id: id}]->(:Entry) RETURN r.workspaceId AS workspaceId
  UNION
  MATCH (:Entry)-[r:ENTRY_CAUSES {id: id}]->(:Entry) RETURN r.workspaceId AS workspaceId
  UNION
  MATCH (:Entry)-[r:ENTRY_BLOCKS {id: id}]->(:Entry) RETURN r.workspaceId AS workspaceId
}
RETURN id, workspaceId
