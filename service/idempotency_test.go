package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// onces is what idempotency tests work with.
type onces struct {
	*bundle
	keys  *service.Idempotency
	scope knowledge.IdempotencyScope
	done  atomic.Int32
}

func setupOnce(t *testing.T) *onces {
	t.Helper()
	b := setup(t)
	return &onces{
		bundle: b,
		keys:   service.NewIdempotency(b.store, b.clock.Now, newID),
		scope:  knowledge.IdempotencyScope{Workspace: b.ws.Key, Caller: "test", Key: newID("key")},
	}
}

// count does something that can be counted.
func (o *onces) count(context.Context) (json.RawMessage, error) {
	return json.Marshal(o.done.Add(1))
}

func (o *onces) once(t *testing.T, scope knowledge.IdempotencyScope, fingerprint string) string {
	t.Helper()
	answer, err := o.keys.Once(t.Context(), scope, fingerprint, o.count)
	require.NoError(t, err)
	return string(answer)
}

func TestT8_RepeatAnswersTheFirst(t *testing.T) {
	t.Parallel()
	o := setupOnce(t)
	require.Equal(t, "1", o.once(t, o.scope, "f"))
	o.clock.advance(23 * time.Hour)
	require.Equal(t, "1", o.once(t, o.scope, "f"))
	o.clock.advance(2 * time.Hour)
	require.Equal(t, "2", o.once(t, o.scope, "f"), "forgotten after 24 hours")
}

func TestT8_CountedPerWorkspaceAndCaller(t *testing.T) {
	t.Parallel()
	o := setupOnce(t)
	require.Equal(t, "1", o.once(t, o.scope, "f"))
	other := o.scope
	other.Caller = "somebody else"
	require.Equal(t, "2", o.once(t, other, "g"))
	other = o.scope
	other.Workspace = o.workspace(t).Key
	require.Equal(t, "3", o.once(t, other, "g"))
	other.Workspace = ""
	require.Equal(t, "4", o.once(t, other, "g"))
	other.Workspace = "no such workspace"
	require.Equal(t, "5", o.once(t, other, "g"))
	require.Equal(t, "1", o.once(t, o.scope, "f"))
}

func TestT8_SameKeyOtherArgumentsIsConflict(t *testing.T) {
	t.Parallel()
	o := setupOnce(t)
	o.once(t, o.scope, "f")
	_, err := o.keys.Once(t.Context(), o.scope, "g", o.count)
	var e *knowledge.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, knowledge.CodeConflict, e.Code)
	require.Equal(t, "idempotencyKey", e.Field)
	require.EqualValues(t, 1, o.done.Load())
}

func TestT8_AllAtOnceAnswerTheSame(t *testing.T) {
	t.Parallel()
	o := setupOnce(t)
	started := make(chan struct{})
	var wg sync.WaitGroup
	answers := make([]string, 16)
	for i := range answers {
		wg.Go(func() {
			<-started
			answer, err := o.keys.Once(t.Context(), o.scope, "f", o.count)
			if assert.NoError(t, err) {
				answers[i] = string(answer)
			}
		})
	}
	close(started)
	wg.Wait()
	for _, answer := range answers {
		require.Equal(t, "1", answer)
	}
}

func TestT8_SecondWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	o := setupOnce(t)
	working, finish := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := o.keys.Once(t.Context(), o.scope, "f", func(ctx context.Context) (json.RawMessage, error) {
			close(working)
			<-finish
			return o.count(ctx)
		})
		assert.NoError(t, err)
	})
	<-working
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := o.keys.Once(ctx, o.scope, "f", o.count)
	require.ErrorIs(t, err, context.DeadlineExceeded, "a waiting repeat ends with its own request")
	_, err = o.keys.Once(t.Context(), o.scope, "g", o.count)
	require.Equal(t, knowledge.CodeConflict, knowledge.CodeOf(err), "other arguments do not wait")
	close(finish)
	require.Equal(t, "1", o.once(t, o.scope, "f"))
	wg.Wait()
}

func TestT8_AnErrorReleasesTheKey(t *testing.T) {
	t.Parallel()
	o := setupOnce(t)
	broken := errors.New("broken")
	_, err := o.keys.Once(t.Context(), o.scope, "f", func(context.Context) (json.RawMessage, error) { return nil, broken })
	require.ErrorIs(t, err, broken)
	require.Equal(t, "1", o.once(t, o.scope, "g"), "the key is free, for other arguments too")

	again := o.scope
	again.Key = newID("key")
	require.Panics(t, func() {
		_, _ = o.keys.Once(t.Context(), again, "f", func(context.Context) (json.RawMessage, error) { panic(broken) })
	})
	require.Equal(t, "2", o.once(t, again, "f"), "a panic releases it too")

	again.Key = newID("key")
	ctx, cancel := context.WithCancel(t.Context())
	_, err = o.keys.Once(ctx, again, "f", func(ctx context.Context) (json.RawMessage, error) {
		cancel()
		return nil, ctx.Err()
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "3", o.once(t, again, "f"), "and so does a caller that leaves")
}

func TestT8_AnAnswerIsKeptThoughTheCallerLeft(t *testing.T) {
	t.Parallel()
	o := setupOnce(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := o.keys.Once(ctx, o.scope, "f", func(ctx context.Context) (json.RawMessage, error) {
		defer cancel()
		return o.count(ctx)
	})
	require.NoError(t, err)
	require.Equal(t, "1", o.once(t, o.scope, "f"))
}

func TestT8_ADeadClaimIsTakenOverOnce(t *testing.T) {
	t.Parallel()
	o := setupOnce(t)
	now := o.clock.Now()
	_, err := o.store.ClaimIdempotent(t.Context(), knowledge.IdempotencyClaim{
		Scope: o.scope, Owner: "dead", Fingerprint: "f", Now: now, LeaseUntil: now.Add(time.Minute), ExpiresAt: now.Add(24 * time.Hour),
	})
	require.NoError(t, err)
	o.clock.advance(2 * time.Minute)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			answer, err := o.keys.Once(t.Context(), o.scope, "f", o.count)
			if assert.NoError(t, err) {
				assert.Equal(t, "1", string(answer))
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, o.done.Load())

	dead := knowledge.IdempotencyClaim{Scope: o.scope, Owner: "dead"}
	require.NoError(t, o.store.AnswerIdempotent(t.Context(), dead, json.RawMessage(`"late"`)))
	require.NoError(t, o.store.ReleaseIdempotent(t.Context(), dead))
	require.Equal(t, "1", o.once(t, o.scope, "f"), "the dead one changes nothing any more")
}

// R4, R5: keys go with their workspace, but the call that cleared it keeps its answer.
func TestT8_KeysOfAClearedWorkspace(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{true, false} {
		o := setupOnce(t)
		o.once(t, o.scope, "f")
		own := o.scope
		own.Key = newID("key")
		clearing := func(ctx context.Context) (json.RawMessage, error) {
			_, err := o.workspaces.Clear(ctx, o.to, service.ClearRequest{Confirm: o.ws.Key, KeepWorkspace: keep})
			if err != nil {
				return nil, err
			}
			return o.count(ctx)
		}
		for range 2 {
			answer, err := o.keys.Once(t.Context(), own, "clear", clearing)
			require.NoError(t, err, "keep %v", keep)
			require.Equal(t, "2", string(answer), "keep %v", keep)
		}
		require.Equal(t, "3", o.once(t, o.scope, "f"), "keep %v: the older key is gone", keep)
	}
}

func TestT8_BadKeys(t *testing.T) {
	t.Parallel()
	o := setupOnce(t)
	for key, code := range map[string]knowledge.Code{
		"": knowledge.CodeInvalidInput, "  ": knowledge.CodeInvalidInput, strings.Repeat("x", 513): knowledge.CodeLimitExceeded,
	} {
		scope := o.scope
		scope.Key = key
		_, err := o.keys.Once(t.Context(), scope, "f", o.count)
		var e *knowledge.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, code, e.Code)
		require.Equal(t, "idempotencyKey", e.Field)
	}
	scope := o.scope
	scope.Key = strings.Repeat("é", 512)
	require.Equal(t, "1", o.once(t, scope, "f"))
}

func TestT8_PruneForgetsWhatHasExpired(t *testing.T) {
	t.Parallel()
	o := setupOnce(t)
	other := setupOnce(t)
	o.once(t, o.scope, "f")
	other.once(t, other.scope, "f")
	o.clock.advance(25 * time.Hour)
	removed, err := o.keys.Prune(t.Context(), o.ws.ID)
	require.NoError(t, err)
	require.Equal(t, 1, removed, "those of this workspace")
	require.Equal(t, "1", other.once(t, other.scope, "f"), "another workspace's stay")
}

// T19: an erased thing does not live on in kept answers.
func TestT19_KeptAnswersOfAnErasedThingAreForgotten(t *testing.T) {
	t.Parallel()
	o := setupOnce(t)
	keep := func(key, answer string) knowledge.IdempotencyScope {
		scope := o.scope
		scope.Key = key
		_, err := o.keys.Once(t.Context(), scope, "f", func(context.Context) (json.RawMessage, error) { return json.RawMessage(answer), nil })
		require.NoError(t, err)
		return scope
	}
	erased, other := keep("a", `{"ID":"ent_1"}`), keep("b", `{"ID":"ent_2"}`)
	require.NoError(t, o.store.ForgetAnswers(t.Context(), o.ws.ID, []string{"ent_1", "ent_9"}))
	require.Equal(t, "1", o.once(t, erased, "f"))
	require.JSONEq(t, `{"ID":"ent_2"}`, o.once(t, other, "f"))
}
