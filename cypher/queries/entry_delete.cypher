// entry_delete: removes an entry; its relations went before
// mode: write
// params: id string
// returns: deleted
MATCH (n:Entry {id: $id})
DETACH DELETE n
RETURN count(*) AS deleted
