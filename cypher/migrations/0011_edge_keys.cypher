// Edges that have an end are found by their ends and type like the others.
CREATE INDEX fact_ended IF NOT EXISTS FOR (f:Fact) ON (f.endedKey);
