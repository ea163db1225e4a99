// dedup_relations: the relations of entries, each once, oldest first
// mode: read
// params: ids list of string
// returns: r, fromId, toId, type
UNWIND $ids AS id
MATCH (n:Entry {id: id})-[r:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]-(:Entry)
WITH DISTINCT r
RETURN r, startNode(r).id AS fromId, endNode(r).id AS toId, type(r) AS type
ORDER BY r.createdAt, r.id
