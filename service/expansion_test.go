package service_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

func (b *entryBundle) edge(t *testing.T, from *knowledge.Entity, typ string, to *knowledge.Entity, edit ...func(*knowledge.EdgeDraft)) *knowledge.Edge {
	t.Helper()
	d := knowledge.EdgeDraft{From: knowledge.EntityRef{ID: from.ID}, To: knowledge.EntityRef{ID: to.ID}, Type: typ}
	for _, e := range edit {
		e(&d)
	}
	a, err := b.all.Edges.Assert(t.Context(), b.to, d)
	require.NoError(t, err)
	return a.Edge
}

func (b *entryBundle) expand(t *testing.T, query string, at knowledge.TimePoint) *knowledge.QueryExpansion {
	t.Helper()
	x, err := b.all.Expansions.Expand(t.Context(), b.ws, query, knowledge.DefaultExpansionTerms, at)
	require.NoError(t, err)
	return x
}

func TestO12_ExpandQuery(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	alpha, beta, gamma := b.entityOf(t, "concept", "Alpha Node", "alpha"), b.entityOf(t, "concept", "Beta Node"), b.entityOf(t, "concept", "Gamma")
	b.edge(t, alpha, "feeds_into", beta)
	past, end := b.clock.Now().Add(-48*time.Hour), b.clock.Now().Add(-24*time.Hour)
	b.edge(t, gamma, "uses", alpha, func(d *knowledge.EdgeDraft) { d.ValidFrom, d.ValidTo = &past, &end })
	want := "alpha Alpha Node feeds into Beta Node feeds_into feeds into Beta Node"
	x := b.expand(t, "alpha", knowledge.TimePoint{})
	require.Equal(t, want, x.Expanded)
	require.Equal(t, []string{"direct:Alpha Node", "one-hop:Alpha Node-[feeds_into]->Beta Node"}, x.Hints)
	then := past.Add(time.Hour)
	require.Equal(t, []string{"Gamma"}, b.expand(t, "alpha", knowledge.TimePoint{AsOf: &then}).Neighbors, "O10 the edges of that moment")
	require.Equal(t, "nothing of the kind", b.expand(t, "nothing of the kind", knowledge.TimePoint{}).Expanded, "O11")

	other := withEntries(t)
	require.Equal(t, "alpha", other.expand(t, "alpha", knowledge.TimePoint{}).Expanded, "R1")
	b.features = knowledge.EffectiveFeatures(knowledge.Deployment{Switches: knowledge.FeatureSwitches{knowledge.FeatureGraph: false}}, nil)
	require.Equal(t, "alpha", b.expand(t, "alpha", knowledge.TimePoint{}).Expanded, "O11 the graph is switched off")
	for _, terms := range []int{0, 27} {
		_, err := b.all.Expansions.Expand(t.Context(), b.ws, "alpha", terms, knowledge.TimePoint{})
		var e *knowledge.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, "maxTerms", e.Field)
	}
}

func TestO14_SearchEntriesExpanded(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	alpha, beta := b.entityOf(t, "concept", "Alpha Node", "alpha"), b.entityOf(t, "concept", "Beta Node")
	b.edge(t, alpha, "feeds_into", beta)
	b.entry(t, "One", "alpha is discussed")
	b.entry(t, "Two", "the Beta Node is down since noon")
	b.entry(t, "Three", "Alpha Node feeds into Beta Node")
	search := func(expand bool) []string {
		page, err := b.entries.Search(t.Context(), b.ws, "alpha", knowledge.EntryFilter{}, expand, knowledge.TimePoint{}, knowledge.PageRequest{First: 10})
		require.NoError(t, err)
		out := []string{}
		for _, e := range page.Items {
			out = append(out, e.Entry.Title)
		}
		n, err := b.entries.SearchCount(t.Context(), b.ws, "alpha", knowledge.EntryFilter{}, expand, knowledge.TimePoint{})
		require.NoError(t, err)
		require.Len(t, out, n)
		return out
	}
	require.ElementsMatch(t, []string{"One", "Three"}, search(false))
	require.Equal(t, "Three", search(true)[0])
	require.Contains(t, search(true), "Two", "found by what the graph knows")
	found := b.ask(t, knowledge.RecallQuery{Query: "alpha", Scope: orgWide()})
	for _, h := range found.Hits {
		if h.Entry().Title == "Three" {
			require.Equal(t, []string{"direct:Alpha Node", "one-hop:Alpha Node-[feeds_into]->Beta Node"}, h.Hints, "O13")
		}
	}
}

func TestK10_Search(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	dana := b.person(t, "Dana")
	b.entry(t, "Fact", "the parrot is green", about(dana), func(d *knowledge.EntryDraft) { d.Tags = []string{"bird"} })
	b.entry(t, "Goal", "buy a parrot", func(d *knowledge.EntryDraft) { d.Type = knowledge.EntryGoal })
	search := func(query string, f knowledge.EntryFilter) []string {
		page, err := b.entries.Search(t.Context(), b.ws, query, f, false, knowledge.TimePoint{}, knowledge.PageRequest{First: 10})
		require.NoError(t, err)
		out := []string{}
		for _, e := range page.Items {
			out = append(out, e.Entry.Title)
		}
		return out
	}
	require.Len(t, search("parrot", knowledge.EntryFilter{}), 2)
	require.Equal(t, []string{"Goal"}, search("parrot", knowledge.EntryFilter{Types: []knowledge.EntryType{knowledge.EntryGoal}}))
	require.Equal(t, []string{"Fact"}, search("parrot", knowledge.EntryFilter{Contact: &knowledge.EntityRef{Name: "dana"}}))
	require.Equal(t, []string{"Fact"}, search("parrot", knowledge.EntryFilter{Tags: []string{"bird"}}))
	require.Empty(t, search("  ", knowledge.EntryFilter{}))
	_, err := b.entries.Search(t.Context(), b.ws, "x", knowledge.EntryFilter{}, false, knowledge.TimePoint{}, knowledge.PageRequest{First: 51})
	require.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err))
	_, err = b.entries.Search(t.Context(), b.ws, "x", knowledge.EntryFilter{Types: []knowledge.EntryType{"rumour"}}, false, knowledge.TimePoint{}, knowledge.PageRequest{First: 5})
	require.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err))
}
