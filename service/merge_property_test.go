package service_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"mneme/knowledge"
	"mneme/service"
)

// TestT6_UnmergeRestoresExactly: whatever graph, and whatever merges one after the other,
// taking them back in the opposite order gives every node, relationship and property back.
func TestT6_UnmergeRestoresExactly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, typ := range []knowledge.EdgeType{{Key: "at", SingleValued: true}, {Key: "knows", Symmetric: true}, {Key: "married", SingleValued: true, Symmetric: true}} {
		_, err := b.types.CreateEdgeType(t.Context(), b.to, typ)
		require.NoError(t, err)
	}
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		g := randomGraph{b: b, t: t, rt: rt, round: round}
		g.make()
		before := b.dump(t)
		var undo, states []any
		for range rapid.IntRange(1, 3).Draw(rt, "merges") {
			state := b.dump(t)
			m, err := b.curation().Merge(t.Context(), b.to, g.any("keep"), []string{g.any("merge"), g.any("merge")}, false)
			if err != nil { // the same twice, or across types
				require.Equal(rt, knowledge.CodeInvalidInput, knowledge.CodeOf(err), "%v", err)
				continue
			}
			undo, states = append(undo, m.MergeID), append(states, state)
			g.lawful()
			b.clock.advance(time.Minute)
		}
		for i := len(undo) - 1; i >= 0; i-- {
			_, err := b.curation().Unmerge(t.Context(), b.to, undo[i].(string))
			require.NoError(rt, err)
			require.Equal(rt, states[i], any(b.dump(t)))
		}
		require.Equal(rt, before, b.dump(t))
		g.clear()
	})
}

// randomGraph makes entities of two types with edges of all kinds of types and times,
// remarks and entries.
type randomGraph struct {
	b        *bundle
	t        *testing.T
	rt       *rapid.T
	round    int
	entities []string
}

func (g *randomGraph) make() {
	var drafts []knowledge.EntityDraft
	for i := range 6 {
		d := knowledge.EntityDraft{Type: "person", Name: fmt.Sprintf("Person %d of %d", i, g.round), Properties: map[string]any{"n": float64(i)}}
		if i == 5 {
			d.Type = "place"
		}
		if rapid.Bool().Draw(g.rt, "described") {
			d.Description, d.Aliases = ptr(fmt.Sprint("number ", i)), []string{fmt.Sprintf("p%d-%d", i, g.round), "somebody"}
			d.Identities = []knowledge.ContactIdentity{{Kind: "email", Value: fmt.Sprintf("%d@%d.io", i, g.round)}}
			d.TaskID = rapid.SampledFrom([]string{"", "t1"}).Draw(g.rt, "task")
		}
		drafts = append(drafts, d)
	}
	made, err := g.b.entities.UpsertMany(g.t.Context(), g.writer(), drafts, true)
	require.NoError(g.rt, err)
	for _, o := range made {
		g.entities = append(g.entities, o.Value.Entity.ID)
	}
	g.makeEdges()
	g.makeRemarks()
}

func (g *randomGraph) writer() service.Target {
	return rapid.SampledFrom([]service.Target{g.b.to, g.b.agent, g.b.auto}).Draw(g.rt, "writer")
}

func (g *randomGraph) any(what string) string { return rapid.SampledFrom(g.entities).Draw(g.rt, what) }

func (g *randomGraph) ref(what string) knowledge.EntityRef {
	return knowledge.EntityRef{ID: g.any(what)}
}

func (g *randomGraph) makeEdges() {
	var drafts []knowledge.EdgeDraft
	for range rapid.IntRange(3, 12).Draw(g.rt, "edges") {
		d := knowledge.EdgeDraft{
			From: g.ref("from"), To: g.ref("to"), Type: rapid.SampledFrom([]string{"uses", "at", "knows", "married"}).Draw(g.rt, "type"),
			Confidence: ptr(rapid.SampledFrom([]float64{0.3, 0.6, 1}).Draw(g.rt, "confidence")),
			DocID:      rapid.SampledFrom([]string{"", "d1", "d2"}).Draw(g.rt, "document"), TaskID: rapid.SampledFrom([]string{"", "t1"}).Draw(g.rt, "task"),
			Properties: map[string]any{"why": "because"},
		}
		if start := rapid.IntRange(0, 6).Draw(g.rt, "start"); start > 0 {
			d.ValidFrom = ptr(time.Date(2025, time.Month(start), 1, 0, 0, 0, 0, time.UTC))
			if length := rapid.IntRange(0, 20).Draw(g.rt, "length"); length > 0 {
				d.ValidTo = ptr(d.ValidFrom.AddDate(0, length, 0))
			}
		}
		drafts = append(drafts, d)
	}
	_, err := g.b.edges.AssertMany(g.t.Context(), g.writer(), drafts, false) // some overlap, and fail by themselves
	require.NoError(g.rt, err)
	g.b.clock.advance(time.Minute)
}

func (g *randomGraph) makeRemarks() {
	var notes []knowledge.ObservationDraft
	for range rapid.IntRange(0, 6).Draw(g.rt, "remarks") {
		notes = append(notes, knowledge.ObservationDraft{
			Entity: g.ref("of"), Text: rapid.SampledFrom([]string{"Tall", "tall ", "Short", "From Rome"}).Draw(g.rt, "text"),
			Fingerprint: rapid.SampledFrom([]string{"", "", "mail-1"}).Draw(g.rt, "fingerprint"), DocID: rapid.SampledFrom([]string{"", "d1", "d2"}).Draw(g.rt, "document"),
		})
	}
	_, err := g.b.notes.AddMany(g.t.Context(), g.writer(), notes, true)
	require.NoError(g.rt, err)
	var entries []knowledge.EntryDraft
	for i := range rapid.IntRange(0, 4).Draw(g.rt, "entries") {
		entries = append(entries, knowledge.EntryDraft{
			Type: knowledge.EntryFact, Source: knowledge.SourceManual, Title: fmt.Sprint("entry ", i), Content: fmt.Sprintf("of round %d: Person %d of %d", g.round, i, g.round),
			Confidence: 0.8, Contacts: []knowledge.EntityRef{g.ref("about"), g.ref("about")}, Mentions: []knowledge.EntityRef{g.ref("mentions")},
		})
	}
	_, err = g.b.all.Entries.CreateMany(g.t.Context(), g.writer(), entries, true)
	require.NoError(g.rt, err)
}

// lawful checks that no two edges of the same two entities hold at one time, and that a
// single-valued type has one value at most.
func (g *randomGraph) lawful() {
	pages, err := g.b.edges.OfEntities(g.t.Context(), g.b.ws.ID, g.entities, allEdges(), knowledge.PageRequest{First: 100})
	require.NoError(g.rt, err)
	edges, now := map[string]*knowledge.Edge{}, g.b.clock.Now()
	for _, page := range pages {
		for _, e := range page.Items {
			edges[e.ID] = e
		}
	}
	for _, e := range edges {
		for _, o := range edges {
			if e.ID >= o.ID || e.Type != o.Type {
				continue
			}
			symmetric := e.Type == "knows" || e.Type == "married"
			same := e.FromID == o.FromID && e.ToID == o.ToID || symmetric && e.FromID == o.ToID && e.ToID == o.FromID
			require.False(g.rt, same && e.Interval().Overlaps(o.Interval()), "%v and %v overlap", e, o)
			both := e.Interval().Contains(now) && o.Interval().Contains(now)
			require.False(g.rt, e.Type == "at" && !same && e.FromID == o.FromID && both, "%v and %v both hold", e, o)
		}
	}
}

func (g *randomGraph) clear() {
	_, err := g.b.workspaces.Clear(g.t.Context(), g.b.to, service.ClearRequest{Confirm: g.b.ws.Key, KeepWorkspace: true})
	require.NoError(g.rt, err)
}
