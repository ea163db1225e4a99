// idempotency_release: removes a claim that was not answered
// mode: write
// params: workspace string, caller string, key string, owner string
// returns: nothing
OPTIONAL MATCH (w:Workspace {key: $workspace})
WITH coalesce(w.id, '') AS ws, CASE WHEN w IS NULL THEN $workspace + ' ' + $key ELSE $key END AS key
MATCH (k:IdempotencyKey {workspaceId: ws, caller: $caller, key: key})
WHERE k.owner = $owner AND k.answer IS NULL
DELETE k
