// The knowledge layer. Relations between entries are relationships of six types, each found by id.
CREATE CONSTRAINT entry_id IF NOT EXISTS FOR (n:Entry) REQUIRE n.id IS UNIQUE;
CREATE INDEX entry_created IF NOT EXISTS FOR (n:Entry) ON (n.workspaceId, n.createdAt);
CREATE INDEX entry_source IF NOT EXISTS FOR (n:Entry) ON (n.workspaceId, n.sourceId);
CREATE INDEX entry_hash IF NOT EXISTS FOR (n:Entry) ON (n.workspaceId, n.contentHash);
CREATE INDEX entry_thread IF NOT EXISTS FOR (n:Entry) ON (n.workspaceId, n.threadId);
CREATE INDEX entry_expires IF NOT EXISTS FOR (n:Entry) ON (n.workspaceId, n.expiresAt);
CREATE INDEX entry_invalidated IF NOT EXISTS FOR (n:Entry) ON (n.workspaceId, n.invalidatedAt);
CREATE CONSTRAINT relation_supports_id IF NOT EXISTS FOR ()-[r:ENTRY_SUPPORTS]-() REQUIRE r.id IS UNIQUE;
CREATE CONSTRAINT relation_contradicts_id IF NOT EXISTS FOR ()-[r:ENTRY_CONTRADICTS]-() REQUIRE r.id IS UNIQUE;
CREATE CONSTRAINT relation_supersedes_id IF NOT EXISTS FOR ()-[r:ENTRY_SUPERSEDES]-() REQUIRE r.id IS UNIQUE;
CREATE CONSTRAINT relation_relates_to_id IF NOT EXISTS FOR ()-[r:ENTRY_RELATES_TO]-() REQUIRE r.id IS UNIQUE;
CREATE CONSTRAINT relation_causes_id IF NOT EXISTS FOR ()-[r:ENTRY_CAUSES]-() REQUIRE r.id IS UNIQUE;
CREATE CONSTRAINT relation_blocks_id IF NOT EXISTS FOR ()-[r:ENTRY_BLOCKS]-() REQUIRE r.id IS UNIQUE;
