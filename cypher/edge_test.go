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

// store writes an edge between two new entities of a workspace.
func stored(t *testing.T, store *cypher.Store, ws, typ string, by knowledge.Actor) *knowledge.Edge {
	t.Helper()
	from, to := neo4jtest.Workspace(t), neo4jtest.Workspace(t)
	for _, id := range []string{from, to} {
		_, _, err := store.Run(t.Context(), "CREATE (:Entity {id: $id, workspaceId: $ws, name: 'x', type: 'concept', normalizedName: $id, discriminator: ''})", map[string]any{"id": id, "ws": ws})
		require.NoError(t, err)
	}
	e := &knowledge.Edge{
		ID: "edg_" + from, WorkspaceID: ws, FromID: from, ToID: to, Type: typ, Fact: "x is " + typ + " x", Confidence: 1, Weight: 1, Source: by,
		ValidFrom: ptr(hour(1)), CreatedAt: hour(1), Properties: map[string]any{},
	}
	key := knowledge.EdgeKey{From: from, To: to, Type: typ}
	require.NoError(t, store.WriteEdges(t.Context(), ws, knowledge.EdgeWrites{Created: []knowledge.EdgeCreated{{Edge: e, Key: key, Direct: true}}}))
	return e
}

// What Neo4j Browser shows of an edge: a relationship of its own type, or RELATES with
// the type as a property, and a Fact whose caption is the sentence (SPEC T20, B2).
func TestT20_B2_EdgesInTheBrowser(t *testing.T) {
	t.Parallel()
	store, ws := neo4jtest.Open(t), neo4jtest.Workspace(t)
	odd := "odd_" + neo4jtest.Workspace(t)
	for _, c := range []struct {
		typ  string
		by   knowledge.Actor
		want string
	}{
		{"works_at", knowledge.ActorAuto, "WORKS_AT"},
		{"depends_on", knowledge.ActorManual, "DEPENDS_ON"},
		{"mentions", knowledge.ActorManual, "RELATES"},
		{"entry_supports", knowledge.ActorManual, "RELATES"},
		{odd, knowledge.ActorAuto, "RELATES"},
	} {
		e := stored(t, store, ws, c.typ, c.by)
		_, records, err := store.Run(t.Context(), `MATCH (:Entity {id: $from})-[r]->(:Entity {id: $to}) MATCH (f:Fact {id: $id})
			RETURN type(r), r.type, r.name, r.id, f.name, f.type, labels(f)`, map[string]any{"from": e.FromID, "to": e.ToID, "id": e.ID})
		require.NoError(t, err)
		require.Len(t, records, 1)
		require.Equal(t, []any{c.want, c.typ, e.Fact, e.ID, e.Fact, c.typ, []any{"Fact"}}, records[0].Values)
	}
	require.NoError(t, store.AddSupports(t.Context(), ws, []knowledge.SupportAdd{{
		Kind: knowledge.SupportedFact, ID: stored(t, store, ws, "uses", knowledge.ActorAgent).ID, DocID: "doc 1", TaskID: "task 1", Source: knowledge.ActorAgent, At: hour(2),
	}}))
	_, records, err := store.Run(t.Context(), "MATCH (f:Fact {workspaceId: $ws})-[:SUPPORTED_BY]->(d) RETURN labels(d)[0], d.name ORDER BY d.name", map[string]any{"ws": ws})
	require.NoError(t, err)
	require.Equal(t, []any{"Document", "doc 1"}, records[0].Values)
	require.Equal(t, []any{"Task", "task 1"}, records[1].Values)
}

// The store's own key guards the open edge of a pair, whoever writes (SPEC B15).
func TestB15_OneOpenEdge(t *testing.T) {
	t.Parallel()
	store, ws := neo4jtest.Open(t), neo4jtest.Workspace(t)
	e := stored(t, store, ws, "uses", knowledge.ActorManual)
	second := *e
	second.ID = "edg_" + neo4jtest.Workspace(t)
	err := store.WriteEdges(t.Context(), ws, knowledge.EdgeWrites{Created: []knowledge.EdgeCreated{{Edge: &second, Key: knowledge.EdgeKey{From: e.FromID, To: e.ToID, Type: "uses"}}}})
	require.Equal(t, knowledge.CodeConflict, knowledge.CodeOf(err))
	found, err := store.EdgesByID(t.Context(), ws, []string{second.ID})
	require.NoError(t, err)
	require.Empty(t, found, "nothing is left of it")
	_, records, err := store.Run(t.Context(), "MATCH (:Entity {id: $from})-[r]->() RETURN count(r)", map[string]any{"from": e.FromID})
	require.NoError(t, err)
	require.EqualValues(t, 1, records[0].Values[0])
	gone := second
	gone.ToID = "ent_gone"
	err = store.WriteEdges(t.Context(), ws, knowledge.EdgeWrites{Created: []knowledge.EdgeCreated{{Edge: &gone, Key: knowledge.EdgeKey{From: e.FromID, To: "ent_gone", Type: "owns"}}}})
	require.Equal(t, knowledge.CodeConflict, knowledge.CodeOf(err), "an end that is not there any more")
}

func TestEdges_Cancelled(t *testing.T) {
	t.Parallel()
	store, ws := neo4jtest.Open(t), neo4jtest.Workspace(t)
	e := stored(t, store, ws, "uses", knowledge.ActorManual)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	walk := knowledge.Walk{Direction: knowledge.Both, Now: hour(9)}
	for name, f := range map[string]func() error{
		"read": func() error { _, err := store.EdgesByID(ctx, ws, []string{e.ID}); return err },
		"step": func() error {
			_, err := store.Step(ctx, ws, []string{e.FromID}, walk, knowledge.StepLimits{EachEntity: 1, All: 1})
			return err
		},
		"path":   func() error { _, _, err := store.ShortestPath(ctx, ws, e.FromID, e.ToID, walk, 6); return err },
		"write":  func() error { return store.WriteEdges(ctx, ws, knowledge.EdgeWrites{Changed: []*knowledge.Edge{e}}) },
		"delete": func() error { _, err := store.DeleteEdges(ctx, ws, []string{e.ID}); return err },
	} {
		require.ErrorIs(t, f(), context.Canceled, name)
	}
}
