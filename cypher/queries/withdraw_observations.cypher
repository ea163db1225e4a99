// withdraw_observations: the observations that rest on supporters of one label, and whether on nothing else
// mode: read
// params: ws string, by list of string
// returns: id, entityId, alone bool
UNWIND $by AS supporter
MATCH (:{{label}} {workspaceId: $ws, id: supporter})<-[:SUPPORTED_BY]-(o:Observation)
WITH DISTINCT o
RETURN o.id AS id, o.entityId AS entityId, o.directAt IS NULL AND NOT EXISTS {
  (o)-[:SUPPORTED_BY]->(d)
  WHERE NOT (d:{{label}} AND d.id IN $by)
} AS alone
