// workspace_count: how many workspaces there are
// mode: read
// params: none
// returns: count
MATCH (w:Workspace)
RETURN count(w) AS count
