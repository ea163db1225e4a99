// export_auto_mentions: of the entities that entries mention, those that were found in their texts
// mode: read
// params: ws string, ids list of string
// returns: id, mentioned
UNWIND $ids AS id
MATCH (n:Entry {id: id})-[m:MENTIONS]->(e:Entity)
WHERE n.workspaceId = $ws AND m.auto
RETURN id, e.id AS mentioned
