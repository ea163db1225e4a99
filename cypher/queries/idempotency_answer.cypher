// idempotency_answer: keeps the answer of a claim, unless somebody else has taken over
// mode: write
// params: workspace string, caller string, key string, owner string, claim map, answer string
// returns: nothing
// The claim is not there any more where the call removed it with its workspace: it is made anew.
OPTIONAL MATCH (w:Workspace {key: $workspace})
WITH coalesce(w.id, '') AS ws, CASE WHEN w IS NULL THEN $workspace + ' ' + $key ELSE $key END AS key
MERGE (k:IdempotencyKey {workspaceId: ws, caller: $caller, key: key})
ON CREATE SET k += $claim
WITH k
WHERE k.owner = $owner
SET k.answer = $answer
