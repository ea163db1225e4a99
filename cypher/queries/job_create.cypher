// job_create: stores a new job
// mode: write
// params: props map
// returns: nothing
CREATE (j:Job)
SET j = $props
