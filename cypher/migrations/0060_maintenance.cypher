// A task has one state in a workspace, and one run for each moment of its schedule; runs that somebody asked for have none.
CREATE CONSTRAINT maintenance_state_task IF NOT EXISTS FOR (m:MaintenanceState) REQUIRE (m.workspaceId, m.task) IS UNIQUE;
CREATE CONSTRAINT maintenance_run_id IF NOT EXISTS FOR (r:MaintenanceRun) REQUIRE r.id IS UNIQUE;
CREATE CONSTRAINT maintenance_run_slot IF NOT EXISTS FOR (r:MaintenanceRun) REQUIRE (r.workspaceId, r.task, r.slot) IS UNIQUE;
CREATE INDEX maintenance_run_started IF NOT EXISTS FOR (r:MaintenanceRun) ON (r.workspaceId, r.startedAt);
CREATE INDEX maintenance_state_workspace IF NOT EXISTS FOR (m:MaintenanceState) ON (m.workspaceId);
CREATE INDEX maintenance_run_workspace IF NOT EXISTS FOR (r:MaintenanceRun) ON (r.workspaceId);
