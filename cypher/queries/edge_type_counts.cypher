// edge_type_counts: how many edges of each type hold at a moment
// mode: read
// params: ws string, now datetime
// returns: key, count
MATCH (f:Fact {workspaceId: $ws})
WHERE f.createdAt IS NOT NULL AND f.validFrom <= $now AND (f.validTo IS NULL OR f.validTo > $now)
RETURN f.type AS key, count(*) AS count
