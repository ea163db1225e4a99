// merge_links_cut: takes away what hangs on entities besides edges, observations and names
// mode: write
// params: ids list of string
// returns: nothing
UNWIND $ids AS id
MATCH (:Entity {id: id})-[r]-(n)
WHERE NOT (n:Entity OR n:Observation OR n:Identity OR n:Alias)
DELETE r
