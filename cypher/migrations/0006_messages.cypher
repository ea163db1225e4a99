// A message is what facts may rest on; it is known by its id in its workspace.
CREATE CONSTRAINT message_id IF NOT EXISTS FOR (m:Message) REQUIRE (m.workspaceId, m.id) IS UNIQUE;
CREATE INDEX message_workspace IF NOT EXISTS FOR (m:Message) ON (m.workspaceId);
