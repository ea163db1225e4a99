// entity_unalias: takes names from entities; a name of nobody goes
// mode: write
// params: ws string, rows list of {id, key}
// returns: nothing
UNWIND $rows AS row
MATCH (a:Alias {workspaceId: $ws, key: row.key})-[r:ALIAS_OF]->(:Entity {id: row.id})
DELETE r
WITH DISTINCT a
WHERE NOT EXISTS { (a)-[:ALIAS_OF]->() }
DELETE a
