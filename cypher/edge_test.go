package cypher_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"mneme/cypher"
	"mneme/internal/neo4jtest"
	"mneme/knowledge"
)

// hour is a moment that is easy to name.
func hour(n int) time.Time {
	return time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Hour)
}

// The condition in the database and the rule in package knowledge agree on every edge,
// whatever was told of its end and when.
func TestT1_B5_VisibleAsTheRuleSays(t *testing.T) {
	t.Parallel()
	store := neo4jtest.Open(t)
	rapid.Check(t, func(t *rapid.T) {
		var rows []any
		var edges []*knowledge.Edge
		for i := range 20 {
			e := anyEdge(t, fmt.Sprint("e", i))
			edges = append(edges, e)
			rows = append(rows, cypher.EdgeRow(e))
		}
		now := hour(rapid.IntRange(0, 40).Draw(t, "now"))
		at := knowledge.TimePoint{IncludeHistory: rapid.IntRange(0, 3).Draw(t, "history") == 0}
		if n := rapid.IntRange(-10, 40).Draw(t, "asOf"); n >= 0 {
			at.AsOf = ptr(hour(n))
		}
		if n := rapid.IntRange(-10, 40).Draw(t, "knownAt"); n >= 0 {
			at.KnownAt = ptr(hour(n))
		}
		text := "UNWIND $rows AS r WITH r WHERE " + cypher.Visible(at) + " RETURN r.id AS id"
		_, records, err := store.Run(t.Context(), text, cypher.VisibleParams(map[string]any{"rows": rows}, at, now))
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, r := range records {
			seen[r.Values[0].(string)] = true
		}
		for _, e := range edges {
			if want := knowledge.VisibleAt(e, at, now); want != seen[e.ID] {
				t.Fatalf("at %+v, now %v: rule %v, database %v: %+v", at, now, want, seen[e.ID], e)
			}
		}
	})
}

func anyEdge(t *rapid.T, id string) *knowledge.Edge {
	e := &knowledge.Edge{ID: id, ValidFrom: ptr(hour(rapid.IntRange(0, 30).Draw(t, "from"))), CreatedAt: hour(rapid.IntRange(0, 30).Draw(t, "told")), Weight: 1}
	if n := rapid.IntRange(-20, 40).Draw(t, "to"); n >= 0 {
		e.ValidTo = ptr(hour(n))
	}
	told := e.CreatedAt
	for range rapid.IntRange(0, 3).Draw(t, "ends") {
		told = told.Add(time.Duration(rapid.IntRange(0, 5).Draw(t, "later")) * time.Hour)
		if ended, _, err := knowledge.EndEdge(e, hour(rapid.IntRange(0, 40).Draw(t, "end")), told); err == nil {
			e = ended
		}
	}
	return e
}

func ptr[T any](v T) *T { return &v }

// A workspace registers 200 edge types at most; what it says above that is stored
// without a relationship type of its own (SPEC B2).
func TestB2_RegistryIsBounded(t *testing.T) {
	t.Parallel()
	store, ws := neo4jtest.Open(t), neo4jtest.Workspace(t)
	t.Cleanup(func() { // the registry is the whole database's: give the room back
		_, _, err := store.Run(context.Background(), "MATCH (t:RegisteredType {registeredBy: $ws}) DELETE t", map[string]any{"ws": ws})
		if err != nil {
			t.Error(err)
		}
	})
	var keys []string
	for i := range 250 {
		keys = append(keys, fmt.Sprintf("bounded_%s_%d", ws, i))
	}
	for n := 0; n < len(keys); n += 50 {
		require.NoError(t, store.Register(t.Context(), ws, keys[n:n+50]))
	}
	require.Equal(t, keys[:knowledge.MaxWorkspaceEdgeTypes], store.Registered(keys))
	require.NoError(t, store.Register(t.Context(), ws, append(keys[:1:1], "uses", "works_at")))
	require.Len(t, store.Registered([]string{"uses", "works_at", "contradicts", "replaces"}), 2, "found, not registered again")
	_, records, err := store.Run(t.Context(), "MATCH (t:RegisteredType {registeredBy: $ws}) RETURN count(t)", map[string]any{"ws": ws})
	require.NoError(t, err)
	require.EqualValues(t, knowledge.MaxWorkspaceEdgeTypes, records[0].Values[0])
}

func TestB2_RoomInTheRegistry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ all, own, want int }{
		{0, 0, 200}, {0, 199, 1}, {0, 200, 0}, {0, 250, 0}, {4_095, 0, 1}, {4_096, 0, 0}, {5_000, 0, 0}, {3_950, 100, 100}, {4_000, 100, 96},
	} {
		require.Equal(t, c.want, cypher.RegistryRoom(c.all, c.own), "%+v", c)
	}
}
