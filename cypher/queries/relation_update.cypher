// relation_update: stores the evidence of a relation anew
// mode: write
// params: fromId string, id string, props map
// returns: nothing
MATCH (:Entry {id: $fromId})-[r:{{type}}]->(:Entry)
WHERE r.id = $id
SET r += $props
