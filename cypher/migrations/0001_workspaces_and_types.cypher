// Workspaces, entity types and edge types are known by their keys.
CREATE CONSTRAINT workspace_id IF NOT EXISTS FOR (w:Workspace) REQUIRE w.id IS UNIQUE;
CREATE CONSTRAINT workspace_key IF NOT EXISTS FOR (w:Workspace) REQUIRE w.key IS UNIQUE;
CREATE CONSTRAINT entity_type_id IF NOT EXISTS FOR (t:EntityType) REQUIRE t.id IS UNIQUE;
CREATE CONSTRAINT entity_type_key IF NOT EXISTS FOR (t:EntityType) REQUIRE (t.workspaceId, t.key) IS UNIQUE;
CREATE CONSTRAINT edge_type_key IF NOT EXISTS FOR (t:EdgeType) REQUIRE (t.workspaceId, t.key) IS UNIQUE;
// The relationship types that this database has ever been given for edges (SPEC B2).
CREATE CONSTRAINT registered_type_key IF NOT EXISTS FOR (t:RegisteredType) REQUIRE t.key IS UNIQUE;
