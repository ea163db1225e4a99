// A Fact stands for an edge wherever it is not walked; currentKey is null once it has an end (SPEC B15), and
// stands as endedKey then. There are few indexes on purpose: each costs a tenth of the speed of a bulk import.
// The edges of an entity are found by its relationships, those of a workspace by fact_created.
CREATE CONSTRAINT fact_id IF NOT EXISTS FOR (f:Fact) REQUIRE f.id IS UNIQUE;
CREATE CONSTRAINT fact_current IF NOT EXISTS FOR (f:Fact) REQUIRE f.currentKey IS UNIQUE;
CREATE INDEX fact_created IF NOT EXISTS FOR (f:Fact) ON (f.workspaceId, f.createdAt);
CREATE INDEX fact_invalidated IF NOT EXISTS FOR (f:Fact) ON (f.workspaceId, f.invalidatedAt);
CREATE CONSTRAINT document_id IF NOT EXISTS FOR (d:Document) REQUIRE (d.workspaceId, d.id) IS UNIQUE;
CREATE CONSTRAINT task_id IF NOT EXISTS FOR (t:Task) REQUIRE (t.workspaceId, t.id) IS UNIQUE;
CREATE CONSTRAINT observation_id IF NOT EXISTS FOR (o:Observation) REQUIRE o.id IS UNIQUE;
CREATE CONSTRAINT observation_fingerprint IF NOT EXISTS FOR (o:Observation) REQUIRE (o.entityId, o.fingerprint) IS UNIQUE;
CREATE INDEX observation_created IF NOT EXISTS FOR (o:Observation) ON (o.workspaceId, o.createdAt);
CREATE INDEX observation_entity IF NOT EXISTS FOR (o:Observation) ON (o.entityId, o.observedAt);
CREATE FULLTEXT INDEX observation_text IF NOT EXISTS FOR (o:Observation) ON EACH [o.workspaceId, o.searchText] OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
CREATE CONSTRAINT merge_id IF NOT EXISTS FOR (m:Merge) REQUIRE m.id IS UNIQUE;
CREATE CONSTRAINT redirect_id IF NOT EXISTS FOR (r:Redirect) REQUIRE r.id IS UNIQUE;
CREATE CONSTRAINT idempotency_key IF NOT EXISTS FOR (k:IdempotencyKey) REQUIRE (k.workspaceId, k.caller, k.key) IS UNIQUE;
CREATE CONSTRAINT audit_id IF NOT EXISTS FOR (a:AuditEvent) REQUIRE a.id IS UNIQUE;
CREATE INDEX audit_at IF NOT EXISTS FOR (a:AuditEvent) ON (a.workspaceId, a.at);
