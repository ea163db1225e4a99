// export_relation_ids: the ids of the relations between a workspace's entries that it was told by a moment
// mode: read
// params: ws string, knownAt datetime or null
// returns: id
MATCH (n:Entry {workspaceId: $ws})-[r:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]->(:Entry)
WHERE $knownAt IS NULL OR r.createdAt <= $knownAt
RETURN r.id AS id
