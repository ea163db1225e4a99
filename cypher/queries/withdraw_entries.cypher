// withdraw_entries: the entries that rest on supporters of one label, and whether on nothing else
// mode: read
// params: ws string, by list of string
// returns: id, alone bool
UNWIND $by AS supporter
MATCH (:{{label}} {workspaceId: $ws, id: supporter})<-[:SUPPORTED_BY]-(n:Entry)
WITH DISTINCT n
RETURN n.id AS id, n.directAt IS NULL AND NOT EXISTS {
  (n)-[:SUPPORTED_BY]->(d)
  WHERE NOT (d:{{label}} AND d.id IN $by)
} AS alone
