// Old ids are found by the entity that they lead to, merges by when they were told and taken back (SPEC T6, T24).
CREATE INDEX redirect_to IF NOT EXISTS FOR (r:Redirect) ON (r.workspaceId, r.to);
CREATE INDEX merge_at IF NOT EXISTS FOR (m:Merge) ON (m.workspaceId, m.at);
CREATE INDEX merge_undone IF NOT EXISTS FOR (m:Merge) ON (m.workspaceId, m.undoneAt);
