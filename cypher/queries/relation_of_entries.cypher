// relation_of_entries: the relations of entries, oldest first, with both ends still to be seen
// mode: read
// params: ws string, ids list of string, types list of string, outgoing bool, incoming bool, now datetime, limit int, key datetime and id of the position where there is one
// returns: entryId, r, fromId, toId, type
UNWIND $ids AS entryId
MATCH (n:Entry {id: entryId})
WHERE n.workspaceId = $ws AND (n.expiresAt IS NULL OR n.expiresAt > $now)
CALL (n) {
  MATCH (n)-[r:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]-(o:Entry)
  WHERE o.workspaceId = $ws AND (o.expiresAt IS NULL OR o.expiresAt > $now)
    AND (size($types) = 0 OR type(r) IN $types)
    AND (startNode(r) = n AND $outgoing OR endNode(r) = n AND $incoming)
    AND {{from}}
  WITH r
  ORDER BY r.createdAt, r.id
  LIMIT $limit
  RETURN r
}
RETURN entryId, r, startNode(r).id AS fromId, endNode(r).id AS toId, type(r) AS type
ORDER BY entryId, r.createdAt, r.id
