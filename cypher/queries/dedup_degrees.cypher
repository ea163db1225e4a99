// dedup_degrees: how many relations entries have in each direction
// mode: read
// params: ids list of string
// returns: id, outgoing, incoming
UNWIND $ids AS id
MATCH (n:Entry {id: id})
RETURN n.id AS id,
  COUNT { (n)-[:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]->() } AS outgoing,
  COUNT { (n)<-[:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]-() } AS incoming
