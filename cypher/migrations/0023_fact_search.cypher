// The sentences of edges and the texts of observations are recalled too (SPEC T23).
CREATE FULLTEXT INDEX fact_text IF NOT EXISTS FOR (f:Fact) ON EACH [f.workspaceId, f.src, f.dst, f.searchText] OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX observation_entity_text IF NOT EXISTS FOR (o:Observation) ON EACH [o.workspaceId, o.entityId, o.searchText] OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
CREATE INDEX fact_awaits_vector IF NOT EXISTS FOR (f:Fact) ON (f.awaitsVector, f.workspaceId);
CREATE INDEX observation_awaits_vector IF NOT EXISTS FOR (o:Observation) ON (o.awaitsVector, o.workspaceId);
