// fact_between: the edges of a type from one entity to another
// mode: read
// params: keys list of {src, type, dst}
// returns: f
UNWIND $keys AS key
MATCH (f:Fact {src: key.src, type: key.type, dst: key.dst})
RETURN f
