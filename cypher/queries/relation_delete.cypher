// relation_delete: removes a relation by its ends
// mode: write
// params: fromId string, id string
// returns: deleted
MATCH (:Entry {id: $fromId})-[r:{{type}}]->(:Entry)
WHERE r.id = $id
DELETE r
RETURN count(*) AS deleted
