// maintenance_run_write: stores a run of a task as it is now
// mode: write
// params: id string, props map, a null removes its property
// returns: nothing
MERGE (r:MaintenanceRun {id: $id})
SET r += $props
