// entity_type_by_id: the entity type of an id
// mode: read
// params: id string
// returns: t
MATCH (t:EntityType {id: $id})
RETURN t
