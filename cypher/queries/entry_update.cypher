// entry_update: stores what an edit changed; the vectors of another text are forgotten
// mode: write
// params: id string, props map, a null removes its property; reworded bool, vectors string, how the properties begin that hold vectors
// returns: nothing
MATCH (n:Entry {id: $id})
SET n += $props
WITH n
WHERE $reworded
UNWIND [key IN keys(n) WHERE key STARTS WITH $vectors] AS key
SET n[key] = null
