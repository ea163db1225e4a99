// export_ids_known: the ids of all that a workspace holds of one kind and that it was told by a moment
// mode: read
// params: ws string, knownAt datetime or null
// returns: id
MATCH (r:{{label}} {workspaceId: $ws})
WHERE $knownAt IS NULL OR r.createdAt <= $knownAt
RETURN r.id AS id
