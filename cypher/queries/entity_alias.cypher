// entity_alias: gives entities further names, which several may have
// mode: write
// params: ws string, rows list of {id, key, name}
// returns: nothing
UNWIND $rows AS row
MATCH (e:Entity {id: row.id})
MERGE (a:Alias {workspaceId: $ws, key: row.key})
ON CREATE SET a.name = row.name
MERGE (a)-[:ALIAS_OF]->(e)
