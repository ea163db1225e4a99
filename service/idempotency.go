package service

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"mneme/knowledge"
)

// claimLease is how long a claim is believed to be worked on. It is longer than any
// request may take (SPEC U: 30 s), so that a second caller takes over only from one
// that died.
const claimLease = 60 * time.Second

// A waiting repeat looks again after claimWaitMin, then ever later up to claimWaitMax.
const (
	claimWaitMin = 10 * time.Millisecond
	claimWaitMax = 250 * time.Millisecond
)

// settleTimeout bounds the write that ends a claim, which happens even when the caller has left.
const settleTimeout = 5 * time.Second

// IdempotencyStore keeps what was answered under a key.
type IdempotencyStore interface {
	// ClaimIdempotent makes the claim unless a live one is there, and gives what is
	// there then. A claim is live until it expires; one without an answer only until
	// its lease ends. Of several claims at once exactly one is made.
	ClaimIdempotent(ctx context.Context, claim knowledge.IdempotencyClaim) (*knowledge.IdempotencyRecord, error)
	// AnswerIdempotent keeps the answer of a claim, also where the claim itself was
	// removed with the workspace meanwhile; nothing happens where another owner took over.
	AnswerIdempotent(ctx context.Context, claim knowledge.IdempotencyClaim, answer json.RawMessage) error
	// ReleaseIdempotent removes a claim that has no answer, so that the next may try.
	ReleaseIdempotent(ctx context.Context, claim knowledge.IdempotencyClaim) error
	// PruneIdempotent removes what has expired of a workspace, or outside all, and gives how
	// many there were.
	PruneIdempotent(ctx context.Context, workspaceID string, now time.Time) (int, error)
}

// Idempotency lets a repeated write answer what the first answered (SPEC T8).
type Idempotency struct {
	store IdempotencyStore
	clock Clock
	newID NewID
}

// NewIdempotency makes the use case.
func NewIdempotency(store IdempotencyStore, clock Clock, newID NewID) *Idempotency {
	return &Idempotency{store: store, clock: clock, newID: newID}
}

// Once does something under a key, or gives what was answered under it within 24 hours.
// A repeat that comes while the first is at work waits for it. An error is not kept: the
// next repeat tries again. The same key with another fingerprint is CONFLICT.
func (s *Idempotency) Once(ctx context.Context, scope knowledge.IdempotencyScope, fingerprint string, do func(ctx context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	if err := checkIdempotencyKey(scope.Key); err != nil {
		return nil, err
	}
	claim := knowledge.IdempotencyClaim{Scope: scope, Owner: s.newID(knowledge.PrefixJob), Fingerprint: fingerprint}
	pause := claimWaitMin
	for {
		claim.Now = s.clock()
		claim.LeaseUntil = claim.Now.Add(claimLease)
		claim.ExpiresAt = claim.Now.Add(knowledge.IdempotencyKeyLifetime)
		record, err := s.store.ClaimIdempotent(ctx, claim)
		switch {
		case err != nil:
			return nil, err
		case record.Fingerprint != fingerprint:
			return nil, &knowledge.Error{
				Code: knowledge.CodeConflict, Field: "idempotencyKey",
				Message: "this key was used for another call",
			}
		case record.Answer != nil:
			return record.Answer, nil
		case record.Owner == claim.Owner:
			return s.settle(ctx, claim, do)
		}
		if err := sleep(ctx, pause/2+rand.N(pause/2)); err != nil { //nolint:gosec // jitter
			return nil, err
		}
		pause = min(2*pause, claimWaitMax)
	}
}

// Prune forgets what has expired of a workspace, or outside all, and gives how many keys
// there were. Nothing depends on it but the space that they take.
func (s *Idempotency) Prune(ctx context.Context, workspaceID string) (int, error) {
	return s.store.PruneIdempotent(ctx, workspaceID, s.clock())
}

// settle does what was claimed and keeps the answer, or lets go of the claim.
func (s *Idempotency) settle(ctx context.Context, claim knowledge.IdempotencyClaim, do func(ctx context.Context) (json.RawMessage, error)) (answer json.RawMessage, err error) {
	answered := false
	defer func() { // also after a panic
		if answered {
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
		defer cancel()
		_ = s.store.ReleaseIdempotent(ctx, claim) // the lease ends it otherwise
	}()
	if answer, err = do(ctx); err != nil {
		return nil, err
	}
	answered = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	return answer, s.store.AnswerIdempotent(ctx, claim, answer)
}

func checkIdempotencyKey(key string) error {
	if strings.TrimSpace(key) == "" {
		return knowledge.Invalid("idempotencyKey", "must not be blank")
	}
	if utf8.RuneCountInString(key) > knowledge.MaxIDLength {
		return knowledge.Limit("idempotencyKey", "must not be longer than %d characters", knowledge.MaxIDLength)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
