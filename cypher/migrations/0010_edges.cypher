// The edge types that have a relationship type of their own from the start (SPEC B1, B2).
UNWIND [
  'uses', 'depends_on', 'part_of', 'created_by', 'maintained_by', 'deployed_to', 'connects_to', 'extends', 'implements', 'references',
  'owns', 'belongs_to', 'related_to', 'blocked_by', 'replaced_by', 'works_at', 'contradicts', 'replaces'
] AS key
MERGE (t:RegisteredType {key: key})
ON CREATE SET t.name = key;
// Observations are found by their content too (SPEC C6).
CREATE INDEX observation_content IF NOT EXISTS FOR (o:Observation) ON (o.entityId, o.contentFingerprint);
CREATE CONSTRAINT message_id IF NOT EXISTS FOR (m:Message) REQUIRE (m.workspaceId, m.id) IS UNIQUE;
