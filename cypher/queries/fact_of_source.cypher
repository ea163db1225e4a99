// fact_of_source: the edges of a type from an entity
// mode: read
// params: keys list of {src, type}
// returns: f
UNWIND $keys AS key
MATCH (f:Fact {src: key.src, type: key.type})
WHERE f.dst IS NOT NULL
RETURN f
