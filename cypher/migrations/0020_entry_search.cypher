// The full text of entries, with who may see them and when they hold (SPEC T9): scopeKeys are contacts' ids or
// the word general, filterKeys the workspace, the type and the days of validity, searchText our own analysis.
CREATE FULLTEXT INDEX entry_text IF NOT EXISTS FOR (n:Entry) ON EACH [n.scopeKeys, n.filterKeys, n.searchText] OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
// What is about nobody is found without reading what is about somebody (SPEC L7).
CREATE INDEX entry_scope IF NOT EXISTS FOR (n:Entry) ON (n.workspaceId, n.scopeKeys);
CREATE INDEX entry_type IF NOT EXISTS FOR (n:Entry) ON (n.workspaceId, n.type, n.createdAt);
// Entries that still wait for a vector, by the model that is to make it; the others do not have the property.
CREATE INDEX entry_awaits_vector IF NOT EXISTS FOR (n:Entry) ON (n.awaitsVector, n.workspaceId);
CREATE INDEX entry_embedding_key IF NOT EXISTS FOR (n:Entry) ON (n.workspaceId, n.embeddingKey);
// Writers of equal things wait for each other on these keys, which are gone when they commit.
CREATE CONSTRAINT write_lock_key IF NOT EXISTS FOR (l:WriteLock) REQUIRE l.key IS UNIQUE;
