// dedup_apart: the pairs of entries of which one contradicts or supersedes the other
// mode: read
// params: ids list of string
// returns: fromId, toId
UNWIND $ids AS id
MATCH (a:Entry {id: id})-[:ENTRY_CONTRADICTS|ENTRY_SUPERSEDES]->(b:Entry)
WHERE b.id IN $ids
RETURN a.id AS fromId, b.id AS toId
