// upkeep_entry_drain: removes relations of an expired entry, in each direction so many at most (SPEC N2)
// mode: write
// params: ws string, id string, now datetime, limit int
// returns: outgoing, incoming: how many were removed; no row where the entry is gone or does not expire any more
MATCH (n:Entry {id: $id})
WHERE n.workspaceId = $ws
SET n.locked = true
REMOVE n.locked
WITH n
WHERE n.expiresAt <= $now
CALL (n) {
  OPTIONAL MATCH (n)-[r:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]->(:Entry)
  WITH r LIMIT $limit
  RETURN collect(r) AS outgoing
}
CALL (n) {
  OPTIONAL MATCH (n)<-[r:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]-(:Entry)
  WITH r LIMIT $limit
  RETURN collect(r) AS incoming
}
WITH outgoing, incoming, size(outgoing) AS out, size(incoming) AS in
FOREACH (r IN outgoing + incoming | DELETE r)
RETURN out AS outgoing, in AS incoming
