package service_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// workedExample is the graph of SPEC L's worked example: vector list A, B, C; text list
// B, D; E supersedes A, F supports B (0.9), F relates to G (0.8), C contradicts D.
type workedExample struct {
	*entryBundle
	x, y  *knowledge.Entity
	query knowledge.RecallQuery
	byID  map[string]string
}

func newWorkedExample(t *testing.T) *workedExample {
	t.Helper()
	b := withEntries(t)
	w := &workedExample{entryBundle: b, x: b.person(t, "X"), y: b.person(t, "Y"), byID: map[string]string{}}
	none := func(d *knowledge.EntryDraft) { d.Embedding = &[]float32{} }
	ids := map[string]string{}
	for _, e := range []struct {
		title, content string
		edit           []func(*knowledge.EntryDraft)
	}{
		{"A", "nothing of the kind", []func(*knowledge.EntryDraft){at(1, 0)}},
		{"B", "zebra zebra zebra", []func(*knowledge.EntryDraft){at(1, 0.2)}},
		{"C", "some other thing", []func(*knowledge.EntryDraft){at(1, 0.4)}},
		{"D", "a zebra among many other animals of the plain", []func(*knowledge.EntryDraft){none}},
		{"E", "newer than the first", []func(*knowledge.EntryDraft){none}},
		{"F", "behind the second", []func(*knowledge.EntryDraft){none, about(w.y)}},
		{"G", "far away", []func(*knowledge.EntryDraft){none}},
	} {
		entry := b.entry(t, e.title, e.content, e.edit...)
		ids[e.title], w.byID[entry.ID] = entry.ID, e.title
	}
	for _, r := range []struct {
		from, to   string
		kind       knowledge.RelationType
		confidence float64
	}{
		{"E", "A", knowledge.RelationSupersedes, 1},
		{"F", "B", knowledge.RelationSupports, 0.9},
		{"F", "G", knowledge.RelationRelatesTo, 0.8},
		{"C", "D", knowledge.RelationContradicts, 1},
	} {
		_, err := b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: ids[r.from]}, To: knowledge.EntryRef{ID: ids[r.to]}, Type: r.kind, Confidence: r.confidence})
		require.NoError(t, err)
	}
	w.query = knowledge.RecallQuery{
		Query: "zebra", Embedding: []float32{1, 0}, Scope: orgWide(), Limit: 10, Hops: 2, NeighborBudget: 16, Ranking: knowledge.RankingRRF, Explain: true,
	}
	return w
}

// line is an answer as one word.
func (w *workedExample) line(found *knowledge.Recall) string { return strings.Join(titles(found), "") }

// via is how a hit was reached, as "incoming supersedes E".
func (w *workedExample) via(h *knowledge.RecallHit) []string {
	out := []string{}
	for _, r := range h.Via {
		direction, other := "outgoing", r.ToID
		if r.ToID == h.Entry().ID {
			direction, other = "incoming", r.FromID
		}
		out = append(out, fmt.Sprintf("%s %s %s", direction, r.Type, w.byID[other]))
	}
	return out
}

func TestL_WorkedExample(t *testing.T) {
	t.Parallel()
	w := newWorkedExample(t)
	found := w.ask(t, w.query)
	require.Equal(t, "BFDCEGA", w.line(found), "L-W4")
	require.Equal(t, knowledge.ModeGraph, found.Mode)
	require.Empty(t, found.Degraded)
	hits := map[string]*knowledge.RecallHit{}
	for _, h := range found.Hits {
		hits[h.Entry().Title] = h
	}
	for title, score := range map[string]float64{"B": 0.032522, "A": 0.016393, "F": 0.016393, "D": 0.016129, "E": 0.016129, "C": 0.015873, "G": 0.015873} {
		require.InDelta(t, score, hits[title].Score, 5e-7, "L-W2 "+title)
		sum := 0.0
		for _, p := range hits[title].Explanation {
			sum += p.Value
		}
		require.InDelta(t, hits[title].Score, sum, 1e-12, "T13 the parts sum to the score")
	}
	require.True(t, hits["A"].Stale)
	require.True(t, hits["C"].Caveat)
	require.True(t, hits["D"].Caveat)
	require.False(t, hits["B"].Stale || hits["B"].Caveat)
	for title, via := range map[string][]string{
		"A": {"incoming supersedes E"}, "C": {"outgoing contradicts D"}, "D": {"incoming contradicts C"}, "B": {"incoming supports F"},
		"F": {"outgoing supports B", "outgoing relates_to G"}, "E": {"outgoing supersedes A"}, "G": {"incoming relates_to F"},
	} {
		require.ElementsMatch(t, via, w.via(hits[title]), "L-W5 "+title)
	}
	for title, hops := range map[string]int{"A": 0, "B": 0, "C": 0, "D": 0, "E": 1, "F": 1, "G": 2} {
		require.Equal(t, hops, hits[title].Hops, title)
		require.Equal(t, hops == 0 && title != "D", hits[title].Similarity != nil, "L21 neighbours carry no similarity: "+title)
	}

	five := w.query
	five.Limit = 5
	require.Equal(t, "BFDCE", w.line(w.ask(t, five)), "L-W6")

	scoped := w.query
	scoped.Scope = contactScope(w.x)
	found = w.ask(t, scoped)
	require.Equal(t, "BDCEA", w.line(found), "L-W7")
	for _, h := range found.Hits {
		for _, v := range w.via(h) {
			require.NotContains(t, v, "F")
			require.NotContains(t, v, "G")
		}
	}

	flat := w.query
	flat.Expand = ptr(false)
	found = w.ask(t, flat)
	require.Equal(t, "BADC", w.line(found), "L-W8")
	require.Equal(t, knowledge.ModeFlat, found.Mode)
	for _, h := range found.Hits {
		require.Empty(t, h.Via)
		require.False(t, h.Stale || h.Caveat)
	}
}

func TestQ4_TheSwitchOfExpansion(t *testing.T) {
	t.Parallel()
	w := newWorkedExample(t)
	w.features = knowledge.EffectiveFeatures(knowledge.Deployment{}, knowledge.FeatureSwitches{knowledge.FeatureGraphRetrieval: false})
	found := w.ask(t, w.query)
	require.Equal(t, "BADC", w.line(found))
	require.Empty(t, found.Degraded, "nobody asked for it")
	w.query.Expand = ptr(true)
	found = w.ask(t, w.query)
	require.Equal(t, "BADC", w.line(found), "expand does not override the switch")
	require.Equal(t, knowledge.LegExpansion, found.Degraded[0].Leg)
}

// brokenExpander fails where relations are read.
type brokenExpander struct{ service.Expander }

func (brokenExpander) ExpandEntries(context.Context, knowledge.EntrySelection, []string, int) ([]*knowledge.Relation, error) {
	return nil, errors.New("a secret of the database")
}

func TestL20_ExpansionThatFails(t *testing.T) {
	t.Parallel()
	w := newWorkedExample(t)
	w.recall = service.NewRecall(service.RecallConfig{
		Search: service.NewEntrySearch(w.store), Entries: w.store, Entities: w.entities, Expander: brokenExpander{w.store}, Embeddings: w.embeddings,
		Features: func(*knowledge.Workspace) []knowledge.Feature { return w.features }, Clock: w.clock.Now,
	})
	found := w.ask(t, w.query)
	require.Equal(t, "BADC", w.line(found))
	require.Equal(t, []knowledge.Degraded{{Leg: knowledge.LegExpansion, Reason: "internal error"}}, found.Degraded)
	for _, h := range found.Hits {
		require.False(t, h.Stale || h.Caveat || len(h.Via) > 0, "the flat result has no marks")
	}
}
