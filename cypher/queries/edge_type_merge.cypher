// edge_type_merge: stores how edge types of a workspace behave
// mode: write
// params: ws string, rows list of {key, builtIn, set map}, declare bool
// returns: nothing
UNWIND $rows AS row
MERGE (t:EdgeType {workspaceId: $ws, key: row.key})
ON CREATE SET t.name = row.key, t.builtIn = row.builtIn, t += row.set
ON MATCH SET t += CASE WHEN $declare THEN row.set ELSE {} END
