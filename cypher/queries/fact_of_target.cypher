// fact_of_target: the edges of a type to an entity
// mode: read
// params: keys list of {type, dst}
// returns: f
UNWIND $keys AS key
MATCH (f:Fact {dst: key.dst})
WHERE f.type = key.type
RETURN f
