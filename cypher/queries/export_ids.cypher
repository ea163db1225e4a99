// export_ids: the ids of all that a workspace holds of one kind and that is seen at a moment
// mode: read
// params: ws string, asOf datetime, knownAt datetime or null
// returns: id
MATCH (r:{{label}} {workspaceId: $ws})
WHERE r.createdAt IS NOT NULL AND {{visible}}
RETURN r.id AS id
