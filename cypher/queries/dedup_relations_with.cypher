// dedup_relations_with: the relations of an entry with certain others
// mode: read
// params: id string, others list of string
// returns: r, fromId, toId, type
MATCH (n:Entry {id: $id})-[r:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]-(o:Entry)
WHERE o.id IN $others
RETURN r, startNode(r).id AS fromId, endNode(r).id AS toId, type(r) AS type
