// relation_drain: removes a batch of the relations of an entry, in both directions (SPEC K8)
// mode: write
// params: id string, limit int
// returns: deleted
MATCH (:Entry {id: $id})-[r:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]-(:Entry)
WITH DISTINCT r
LIMIT $limit
DELETE r
RETURN count(*) AS deleted
