package service_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

// facts are the sentences and texts of what was recalled besides entries.
func facts(found *knowledge.Recall) []string {
	out := []string{}
	for _, h := range found.Hits {
		switch x := h.Item.(type) {
		case *knowledge.Entry:
			out = append(out, x.Title)
		case *knowledge.Edge:
			out = append(out, x.Fact)
		case *knowledge.Observation:
			out = append(out, x.Text)
		}
	}
	return out
}

func (b *entryBundle) noted(t *testing.T, of *knowledge.Entity, text string) *knowledge.Observation {
	t.Helper()
	add, err := b.all.Observations.Add(t.Context(), b.to, knowledge.ObservationDraft{Entity: knowledge.EntityRef{ID: of.ID}, Text: text})
	require.NoError(t, err)
	return add.Observation
}

func everyKind() []knowledge.RecallKind {
	return []knowledge.RecallKind{knowledge.RecallEntry, knowledge.RecallEdge, knowledge.RecallObservation}
}

func TestT23_FactsAndObservations(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	x, y := b.person(t, "Contact X"), b.person(t, "Contact Y")
	acme, zoo := b.entityOf(t, "organization", "Acme"), b.entityOf(t, "organization", "Zoo")
	said := func(fact string) func(*knowledge.EdgeDraft) {
		return func(d *knowledge.EdgeDraft) { d.Fact = fact }
	}
	general := b.edge(t, acme, "owns", zoo, said("Acme owns a parrot zoo"))
	ofX := b.edge(t, x, "works_at", acme, said("X keeps the parrot at Acme"))
	ofY := b.edge(t, y, "works_at", zoo, said("Y feeds the parrot"))
	onX, onAcme := b.noted(t, x, "X is afraid of the parrot"), b.noted(t, acme, "Acme likes a parrot")
	onY := b.noted(t, y, "Y sings to the parrot")
	b.entry(t, "Entry", "the parrot is green", at(0, 1))
	q := knowledge.RecallQuery{Query: "parrot", Scope: orgWide(), Limit: 20}
	require.Equal(t, []string{"Entry"}, facts(b.ask(t, q)), "only when asked for")
	q.Kinds = everyKind()
	require.ElementsMatch(t, []string{"Entry", general.Fact, ofX.Fact, ofY.Fact, onX.Text, onAcme.Text, onY.Text}, facts(b.ask(t, q)))
	q.Kinds = []knowledge.RecallKind{knowledge.RecallEdge}
	require.ElementsMatch(t, []string{general.Fact, ofX.Fact, ofY.Fact}, facts(b.ask(t, q)))
	q.Kinds = everyKind()
	q.Scope = contactScope(x)
	require.ElementsMatch(t, []string{"Entry", general.Fact, ofX.Fact, onX.Text, onAcme.Text}, facts(b.ask(t, q)), "a contact, and what is general")
	q.Scope = knowledge.ScopeRef{OrgGeneralOnly: true}
	require.ElementsMatch(t, []string{"Entry", general.Fact, onAcme.Text}, facts(b.ask(t, q)))

	vector := func(kind knowledge.RecallKind, id string, v ...float32) {
		require.NoError(t, b.store.SetFactVectors(t.Context(), kind, []knowledge.EntryVector{{ID: id, Vector: v}}, plane()))
	}
	vector(knowledge.RecallEdge, ofX.ID, 1, 0)
	vector(knowledge.RecallEdge, ofY.ID, 1, 0)
	vector(knowledge.RecallObservation, onX.ID, 1, 0.1)
	vector(knowledge.RecallObservation, onY.ID, 1, 0.1)
	byMeaning := knowledge.RecallQuery{Embedding: []float32{1, 0}, Scope: contactScope(x), Kinds: everyKind()[1:], Limit: 20}
	nearest := facts(b.ask(t, byMeaning))
	require.Subset(t, nearest, []string{ofX.Fact, onX.Text})
	require.NotContains(t, nearest, ofY.Fact)
	require.NotContains(t, nearest, onY.Text)

	b.clock.advance(time.Hour)
	before := b.clock.Now()
	b.clock.advance(time.Hour)
	_, err := b.all.Edges.Invalidate(t.Context(), b.to, knowledge.EdgeEnd{ID: ofX.ID})
	require.NoError(t, err)
	q.Scope, q.Kinds = orgWide(), []knowledge.RecallKind{knowledge.RecallEdge}
	require.NotContains(t, facts(b.ask(t, q)), ofX.Fact, "current ones by default")
	q.At = knowledge.TimePoint{AsOf: &before}
	require.Contains(t, facts(b.ask(t, q)), ofX.Fact)
	q.At = knowledge.TimePoint{KnownAt: &before}
	found := b.ask(t, q)
	for _, h := range found.Hits {
		if e := h.Item.(*knowledge.Edge); e.ID == ofX.ID {
			require.Nil(t, e.ValidTo, "as it was known then")
		}
	}
	require.Contains(t, facts(found), ofX.Fact)
}

func TestT23_VectorsOfFactsFollow(t *testing.T) {
	t.Parallel()
	model := plane()
	model.Hash = newID("model") // so that what other tests' entries wait for is left alone
	b := withEmbedder(t, embedder(model, upNow()))
	// Whoever uses the database may fill what waits, with a model of its own, so several are made.
	for i := range 5 {
		a, c := b.entityOf(t, "concept", fmt.Sprint("Ant ", i)), b.entityOf(t, "concept", fmt.Sprint("Cow ", i))
		edge, remark := b.edge(t, a, "likes", c), b.noted(t, a, fmt.Sprint("It is small: ", i))
		_, err := b.embeddings.Fill(t.Context())
		require.NoError(t, err)
		found := facts(b.ask(t, knowledge.RecallQuery{Query: "nothing of these words", Scope: orgWide(), Kinds: everyKind()}))
		if slices.Contains(found, edge.Fact) && slices.Contains(found, remark.Text) {
			return
		}
	}
	t.Fatal("no edge and observation got their vectors")
}
