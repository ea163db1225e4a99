// Every node of the code graph has the label CodeNode and an id that is a hash of its workspace and key (SPEC P1).
CREATE CONSTRAINT code_node_id IF NOT EXISTS FOR (n:CodeNode) REQUIRE n.id IS UNIQUE;
CREATE INDEX code_node_workspace IF NOT EXISTS FOR (n:CodeNode) ON (n.workspaceId);
CREATE CONSTRAINT code_repository_name IF NOT EXISTS FOR (r:CodeRepository) REQUIRE (r.workspaceId, r.name) IS UNIQUE;
CREATE INDEX code_repository_workspace IF NOT EXISTS FOR (r:CodeRepository) ON (r.workspaceId);
CREATE INDEX code_file_path IF NOT EXISTS FOR (f:CodeFile) ON (f.workspaceId, f.repository, f.path);
CREATE INDEX code_file_folder IF NOT EXISTS FOR (f:CodeFile) ON (f.workspaceId, f.repository, f.folder);
CREATE INDEX code_symbol_file IF NOT EXISTS FOR (s:CodeSymbol) ON (s.fileId);
CREATE INDEX code_package_repository IF NOT EXISTS FOR (p:CodePackage) ON (p.workspaceId, p.repository);
// The symbols that an entity of a name may stand for, those that are exported first (SPEC P14).
CREATE INDEX code_symbol_bridge IF NOT EXISTS FOR (s:CodeSymbol) ON (s.workspaceId, s.slug, s.bridgeOrder);
// SPEC P3. What is searched is our own analysis of the text, one term a word.
CREATE FULLTEXT INDEX code_text IF NOT EXISTS FOR (n:CodeFile|CodeSymbol) ON EACH [n.workspaceId, n.kind, n.searchName, n.searchText] OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
