// entry_version: what changes whenever the entries of a workspace do; for small workspaces
// mode: read
// params: ws string
// returns: count, changedAt
MATCH (n:Entry {workspaceId: $ws})
RETURN count(n) AS count, max(n.updatedAt) AS changedAt
