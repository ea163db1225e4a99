// Jobs outlive servers; an item of a job is counted once.
CREATE CONSTRAINT job_id IF NOT EXISTS FOR (j:Job) REQUIRE j.id IS UNIQUE;
CREATE INDEX job_created IF NOT EXISTS FOR (j:Job) ON (j.workspaceId, j.createdAt);
CREATE INDEX job_state IF NOT EXISTS FOR (j:Job) ON (j.state);
CREATE CONSTRAINT job_item_key IF NOT EXISTS FOR (i:JobItem) REQUIRE (i.jobId, i.key) IS UNIQUE;
CREATE INDEX job_item_workspace IF NOT EXISTS FOR (i:JobItem) ON (i.workspaceId);
