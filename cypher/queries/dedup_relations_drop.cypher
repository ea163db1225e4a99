// dedup_relations_drop: removes all relations of entries
// mode: write
// params: ids list of string
// returns: deleted
UNWIND $ids AS id
MATCH (:Entry {id: id})-[r:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]-(:Entry)
WITH DISTINCT r
DELETE r
RETURN count(*) AS deleted
