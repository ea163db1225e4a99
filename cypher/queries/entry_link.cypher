// entry_link: joins entries to their contacts and to the entities that they mention
// mode: write
// params: ws string, rows list of {id, contacts list of string, mentions list of {id, auto bool}}
// returns: linked, how many links there are
UNWIND $rows AS row
MATCH (n:Entry {id: row.id})
WHERE n.workspaceId = $ws
CALL (row, n) {
  UNWIND row.contacts AS id
  MATCH (e:Entity {id: id})
  WHERE e.workspaceId = $ws
  CREATE (n)-[:ABOUT]->(e)
  RETURN count(*) AS about
}
CALL (row, n) {
  UNWIND row.mentions AS mention
  MATCH (e:Entity {id: mention.id})
  WHERE e.workspaceId = $ws
  MERGE (n)-[m:MENTIONS]->(e)
  ON CREATE SET m.auto = mention.auto
  ON MATCH SET m.auto = m.auto AND mention.auto
  RETURN count(*) AS mentioned
}
RETURN sum(about) AS about, sum(mentioned) AS mentioned
