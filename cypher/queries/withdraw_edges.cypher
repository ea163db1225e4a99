// withdraw_edges: the edges that rest on supporters of one label, and whether on nothing else
// mode: read
// params: ws string, by list of string
// returns: id, src, dst, alone bool
UNWIND $by AS supporter
MATCH (:{{label}} {workspaceId: $ws, id: supporter})<-[:SUPPORTED_BY]-(f:Fact)
WITH DISTINCT f
RETURN f.id AS id, f.src AS src, f.dst AS dst, f.directAt IS NULL AND NOT EXISTS {
  (f)-[:SUPPORTED_BY]->(d)
  WHERE NOT (d:{{label}} AND d.id IN $by)
} AS alone
