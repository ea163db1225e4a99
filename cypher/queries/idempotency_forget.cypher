// idempotency_forget: removes the keys of a workspace whose answers speak of one of some ids
// mode: write
// params: ws string, ids list of string
// returns: nothing
MATCH (k:IdempotencyKey {workspaceId: $ws})
WHERE any(id IN $ids WHERE k.answer CONTAINS id)
DELETE k
