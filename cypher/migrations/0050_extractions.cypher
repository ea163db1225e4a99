// SPEC M2, M8: a message is extracted from once.
CREATE CONSTRAINT extraction_key IF NOT EXISTS FOR (x:Extraction) REQUIRE (x.workspaceId, x.key) IS UNIQUE;
CREATE INDEX extraction_workspace IF NOT EXISTS FOR (x:Extraction) ON (x.workspaceId);
