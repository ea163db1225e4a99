// relation_count_of_entries: how many relations entries have, with both ends still to be seen
// mode: read
// params: ws string, ids list of string, types list of string, outgoing bool, incoming bool, now datetime
// returns: entryId, count
UNWIND $ids AS entryId
MATCH (n:Entry {id: entryId})
WHERE n.workspaceId = $ws AND (n.expiresAt IS NULL OR n.expiresAt > $now)
CALL (n) {
  MATCH (n)-[r:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]-(o:Entry)
  WHERE o.workspaceId = $ws AND (o.expiresAt IS NULL OR o.expiresAt > $now)
    AND (size($types) = 0 OR type(r) IN $types)
    AND (startNode(r) = n AND $outgoing OR endNode(r) = n AND $incoming)
  RETURN count(r) AS count
}
RETURN entryId, count
