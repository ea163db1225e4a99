package resolvers

import (
	"maps"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// R1: a mutation changes its own workspace only. T8: its repeat answers what the first
// answered and changes nothing more; the same key with other arguments is a conflict.
func TestR1_T8_EveryMutation(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	other := a.fill(t)
	otherBefore := other.snapshot(t)
	t.Run("own", func(t *testing.T) {
		for name, c := range writes() {
			t.Run("R1 T8 "+name, func(t *testing.T) {
				t.Parallel()
				requireOnce(t, a.fill(t), c, otherBefore)
			})
		}
	})
	require.Equal(t, otherBefore, other.snapshot(t), "another workspace was changed")
}

func requireOnce(t *testing.T, w *world, c call, otherBefore string) {
	t.Helper()
	before := w.snapshot(t)
	variables := map[string]any{"k": newID("key")}
	maps.Copy(variables, c.variables(w.ids))
	first := w.try(t, c.query, variables)
	if c.modelled {
		require.Equal(t, "FEATURE_DISABLED", first.code(), first.Body)
		require.Equal(t, before, w.snapshot(t))
		return
	}
	require.Empty(t, first.Errors, first.Body)
	requireNothingOf(t, otherBefore, first.Body)
	after := w.snapshot(t)
	if !c.hidden {
		require.NotEqual(t, before, after, "the case changes nothing: %s", first.Body)
	}

	require.Equal(t, first.Body, w.try(t, c.query, variables).Body)
	conflict := w.try(t, c.query, altered(t, variables, c.alter))
	require.Equal(t, "CONFLICT", conflict.code(), conflict.Body)
	require.Equal(t, "idempotencyKey", conflict.field(), conflict.Body)
	require.Equal(t, after, w.snapshot(t), "the repeat changed something")
}

// altered copies variables with one of them changed.
func altered(t *testing.T, variables map[string]any, path string) map[string]any {
	t.Helper()
	steps := strings.Split(path, ".")
	return alteredAt(t, variables, steps).(map[string]any)
}

func alteredAt(t *testing.T, v any, steps []string) any {
	t.Helper()
	if len(steps) == 0 {
		switch v := v.(type) {
		case string:
			return v + "x"
		case nil:
			return true
		default:
			t.Fatalf("%v cannot be altered", v)
		}
	}
	if list, ok := v.([]any); ok {
		i, err := strconv.Atoi(steps[0])
		require.NoError(t, err)
		out := append([]any{}, list...)
		out[i] = alteredAt(t, list[i], steps[1:])
		return out
	}
	out := maps.Clone(v.(map[string]any))
	out[steps[0]] = alteredAt(t, out[steps[0]], steps[1:])
	return out
}

// T8: a repeat that comes while the first is at work gives the same answer.
func TestT8_RepeatsAtOnce(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	variables := map[string]any{"k": newID("key")}
	bodies := make([]string, 8)
	var wg sync.WaitGroup
	for i := range bodies {
		wg.Go(func() {
			bodies[i] = a.try(t, `mutation($w: String!, $k: String){upsertEntity(workspace: $w, input: {type: "person", name: "Ada"}, idempotencyKey: $k){created entity{id confidence}}}`, variables).Body
		})
	}
	wg.Wait()
	for _, body := range bodies {
		assert.Equal(t, bodies[0], body)
		assert.Contains(t, body, `"created":true`)
	}
}

// An error is not kept, and whole numbers of a kept answer keep their digits.
func TestT8_ErrorsAndNumbers(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	const query = `mutation($w: String!, $i: UpsertEntityInput!, $k: String){upsertEntity(workspace: $w, input: $i, idempotencyKey: $k){entity{id properties}}}`
	variables := map[string]any{"k": newID("key"), "i": map[string]any{"type": "person", "name": "  "}}
	require.Equal(t, "INVALID_INPUT", a.try(t, query, variables).code())
	variables["i"] = map[string]any{"type": "person", "name": "Ada", "properties": map[string]any{"big": 9007199254740993, "half": 0.5, "list": []any{1, "x", nil, true}}}
	first := a.try(t, query, variables)
	require.Empty(t, first.Errors, first.Body)
	require.Contains(t, first.Body, `"big":9007199254740993`)
	require.Equal(t, first.Body, a.try(t, query, variables).Body)

	variables["k"] = " "
	blank := a.try(t, query, variables)
	require.Equal(t, "INVALID_INPUT", blank.code())
	require.Equal(t, "idempotencyKey", blank.field())
}
