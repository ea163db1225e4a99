// SPEC A11: one entity a name, type and discriminator in a workspace.
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (e:Entity) REQUIRE e.id IS UNIQUE;
CREATE CONSTRAINT entity_key IF NOT EXISTS FOR (e:Entity) REQUIRE (e.workspaceId, e.type, e.normalizedName, e.discriminator) IS UNIQUE;
CREATE INDEX entity_normalized_name IF NOT EXISTS FOR (e:Entity) ON (e.workspaceId, e.normalizedName);
CREATE INDEX entity_slug IF NOT EXISTS FOR (e:Entity) ON (e.workspaceId, e.slug);
CREATE INDEX entity_confidence IF NOT EXISTS FOR (e:Entity) ON (e.workspaceId, e.confidence);
CREATE INDEX entity_created IF NOT EXISTS FOR (e:Entity) ON (e.workspaceId, e.createdAt);
CREATE INDEX entity_last_seen IF NOT EXISTS FOR (e:Entity) ON (e.workspaceId, e.lastSeenAt);
CREATE INDEX entity_task IF NOT EXISTS FOR (e:Entity) ON (e.workspaceId, e.taskId);
CREATE CONSTRAINT identity_value IF NOT EXISTS FOR (i:Identity) REQUIRE (i.workspaceId, i.kind, i.value) IS UNIQUE;
CREATE CONSTRAINT alias_key IF NOT EXISTS FOR (a:Alias) REQUIRE (a.workspaceId, a.key) IS UNIQUE;
// What is searched is our own analysis of the text, one term a word (docs/adr).
CREATE FULLTEXT INDEX entity_text IF NOT EXISTS FOR (e:Entity) ON EACH [e.workspaceId, e.type, e.searchName, e.searchText] OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
