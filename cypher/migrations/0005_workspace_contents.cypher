// Everything that a workspace holds is found by it alone, for counting and for clearing.
CREATE INDEX entity_workspace IF NOT EXISTS FOR (e:Entity) ON (e.workspaceId);
CREATE INDEX observation_workspace IF NOT EXISTS FOR (o:Observation) ON (o.workspaceId);
CREATE INDEX entry_workspace IF NOT EXISTS FOR (n:Entry) ON (n.workspaceId);
CREATE INDEX identity_workspace IF NOT EXISTS FOR (i:Identity) ON (i.workspaceId);
CREATE INDEX alias_workspace IF NOT EXISTS FOR (a:Alias) ON (a.workspaceId);
CREATE INDEX document_workspace IF NOT EXISTS FOR (d:Document) ON (d.workspaceId);
CREATE INDEX task_workspace IF NOT EXISTS FOR (t:Task) ON (t.workspaceId);
CREATE INDEX merge_workspace IF NOT EXISTS FOR (m:Merge) ON (m.workspaceId);
CREATE INDEX redirect_workspace IF NOT EXISTS FOR (r:Redirect) ON (r.workspaceId);
CREATE INDEX idempotency_workspace IF NOT EXISTS FOR (k:IdempotencyKey) ON (k.workspaceId);
