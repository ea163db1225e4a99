// entity_type_by_id: entity types by id
// mode: read
// params: ids list of string
// returns: t
UNWIND $ids AS id
MATCH (t:EntityType {id: id})
RETURN t
