package cypher

import (
	"context"
	_ "embed"
	"encoding/json"
	"maps"
	"time"

	"mneme/knowledge"
)

//go:embed queries/idempotency_claim.cypher
var idempotencyClaim statement

//go:embed queries/idempotency_answer.cypher
var idempotencyAnswer statement

//go:embed queries/idempotency_release.cypher
var idempotencyRelease statement

//go:embed queries/idempotency_prune.cypher
var idempotencyPrune statement

//go:embed queries/idempotency_forget.cypher
var idempotencyForget statement

// pruneBatch bounds one transaction of PruneIdempotent.
const pruneBatch = 1_000

// ClaimIdempotent makes a claim unless a live one or an answer is there, and gives what
// is there then. Of several claims at once exactly one is made.
func (s *Store) ClaimIdempotent(ctx context.Context, claim knowledge.IdempotencyClaim) (*knowledge.IdempotencyRecord, error) {
	params := scopeParams(claim.Scope, map[string]any{"now": claim.Now, "claim": claimProps(claim)})
	rows, err := write(ctx, s, idempotencyClaim, params, func(r row) *knowledge.IdempotencyRecord {
		record := &knowledge.IdempotencyRecord{Owner: r.text("owner"), Fingerprint: r.text("fingerprint")}
		if answer := r.text("answer"); answer != "" {
			record.Answer = json.RawMessage(answer)
		}
		return record
	})
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

// AnswerIdempotent keeps the answer of a claim; nothing happens where another owner took over.
func (s *Store) AnswerIdempotent(ctx context.Context, claim knowledge.IdempotencyClaim, answer json.RawMessage) error {
	return exec(ctx, s, idempotencyAnswer, scopeParams(claim.Scope, map[string]any{
		"owner": claim.Owner, "claim": claimProps(claim), "answer": string(answer),
	}))
}

// ReleaseIdempotent removes a claim that was not answered.
func (s *Store) ReleaseIdempotent(ctx context.Context, claim knowledge.IdempotencyClaim) error {
	return exec(ctx, s, idempotencyRelease, scopeParams(claim.Scope, map[string]any{"owner": claim.Owner}))
}

// PruneIdempotent removes the keys of a workspace, and those outside all workspaces, that
// have expired, in batches, and gives how many there were.
func (s *Store) PruneIdempotent(ctx context.Context, workspaceID string, now time.Time) (int, error) {
	total := 0
	for {
		rows, err := write(ctx, s, idempotencyPrune, map[string]any{"ws": workspaceID, "now": now, "limit": pruneBatch}, func(r row) int { return r.int("removed") })
		if err != nil {
			return total, err
		}
		total += rows[0]
		if rows[0] < pruneBatch {
			return total, nil
		}
	}
}

// ForgetAnswers removes the keys of a workspace whose kept answers speak of one of some
// ids: what is erased must not live on in them (SPEC T19).
func (s *Store) ForgetAnswers(ctx context.Context, workspaceID string, ids []string) error {
	return exec(ctx, s, idempotencyForget, map[string]any{"ws": workspaceID, "ids": ids})
}

func scopeParams(scope knowledge.IdempotencyScope, more map[string]any) map[string]any {
	params := map[string]any{"workspace": scope.Workspace, "caller": scope.Caller, "key": scope.Key}
	maps.Copy(params, more)
	return params
}

// claimProps are the properties of a claim; its caption is the key.
func claimProps(c knowledge.IdempotencyClaim) map[string]any {
	return map[string]any{
		"name": c.Scope.Key, "owner": c.Owner, "fingerprint": c.Fingerprint,
		"createdAt": c.Now, "leaseUntil": c.LeaseUntil, "expiresAt": c.ExpiresAt,
	}
}
