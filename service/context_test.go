package service_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func contextOf(prompt string, edit ...func(*knowledge.ContextQuery)) knowledge.ContextQuery {
	q := knowledge.ContextQuery{Prompt: prompt, MaxEntities: knowledge.DefaultContextEntities, MaxCharacters: knowledge.DefaultContextCharacters}
	for _, e := range edit {
		e(&q)
	}
	return q
}

func (b *entryBundle) context(t *testing.T, q knowledge.ContextQuery) *knowledge.GraphContext {
	t.Helper()
	got, err := b.all.Contexts.Of(t.Context(), b.ws, q)
	require.NoError(t, err)
	return got
}

func TestI1_Context(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	gateway := b.entityOf(t, "service", "gateway")
	var far []*knowledge.Entity
	for _, name := range []string{"One", "Two", "Three", "Four"} {
		far = append(far, b.entityOf(t, "concept", name))
	}
	for i, confidence := range []float64{0.5, 0.9, 0.8, 0.7} {
		b.edge(t, gateway, "depends_on", far[i], func(d *knowledge.EdgeDraft) { d.Confidence = &confidence })
	}
	got := b.context(t, contextOf("tell me about the gate"))
	assert.Equal(t, "KNOWLEDGE GRAPH (known entities and relationships):\n- [service] gateway (->depends_on Two; ->depends_on Three; ->depends_on Four)", got.Text, "I1 prefixes match; three edges, best first")
	require.Len(t, got.Entities, 1)
	assert.Len(t, got.Edges, 3)
	assert.Contains(t, b.context(t, contextOf("Two")).Text, "(<-depends_on gateway)", "I4")

	for _, prompt := range []string{"", "  ", "nothing of the kind"} {
		assert.Empty(t, b.context(t, contextOf(prompt)).Text, "I1 %q", prompt)
	}
	assert.Len(t, b.context(t, contextOf("gateway one two three four", func(q *knowledge.ContextQuery) { q.MaxEntities = 2 })).Entities, 2)
	for field, edit := range map[string]func(*knowledge.ContextQuery){
		"maxEntities":   func(q *knowledge.ContextQuery) { q.MaxEntities = 0 },
		"maxCharacters": func(q *knowledge.ContextQuery) { q.MaxCharacters = 10 },
		"prompt":        func(q *knowledge.ContextQuery) { q.Prompt = strings.Repeat("x", knowledge.MaxTextLength+1) },
	} {
		_, err := b.all.Contexts.Of(t.Context(), b.ws, contextOf("gateway", edit))
		var e *knowledge.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, field, e.Field, "U")
	}

	other := withEntries(t)
	assert.Empty(t, other.context(t, contextOf("gateway")).Text, "R1")
	b.features = knowledge.EffectiveFeatures(knowledge.Deployment{Switches: knowledge.FeatureSwitches{knowledge.FeatureGraph: false}}, nil)
	assert.Empty(t, b.context(t, contextOf("gateway")).Text, "I1 the graph is switched off")
}

func TestI2_ContextInTime(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	api, redis, valkey := b.entityOf(t, "service", "Checkout"), b.entityOf(t, "technology", "Redis"), b.entityOf(t, "technology", "Valkey")
	start, end := b.clock.Now().Add(-48*time.Hour), b.clock.Now().Add(-24*time.Hour)
	b.edge(t, api, "uses", redis, func(d *knowledge.EdgeDraft) { d.ValidFrom, d.ValidTo = &start, &end })
	b.edge(t, api, "uses", valkey, func(d *knowledge.EdgeDraft) { d.ValidFrom = &end })

	assert.Contains(t, b.context(t, contextOf("checkout")).Text, "(->uses Valkey)", "I2 what holds now")
	then := start.Add(time.Hour)
	assert.Contains(t, b.context(t, contextOf("checkout", func(q *knowledge.ContextQuery) { q.At.AsOf = &then })).Text, "(->uses Redis)", "T1")

	ws, err := b.workspaces.Update(t.Context(), b.to, service.WorkspacePatch{Memory: service.MemoryPatch{TemporalKnowledge: ptr(false)}})
	require.NoError(t, err)
	b.ws = ws
	got := b.context(t, contextOf("checkout")).Text
	assert.Contains(t, got, "->uses Redis", "I2 without time all edges count")
	assert.Contains(t, got, "->uses Valkey")
}

func TestL22_ContextInScope(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	ann, bob, acme := b.entityOf(t, "person", "Ann"), b.entityOf(t, "person", "Bob"), b.entityOf(t, "organization", "Acme")
	b.edge(t, ann, "works_at", acme)
	b.edge(t, bob, "works_at", acme)
	got := b.context(t, contextOf("Ann and Bob of Acme", func(q *knowledge.ContextQuery) { q.Scope = knowledge.Scope{ContactID: ann.ID} }))
	assert.Contains(t, got.Text, "Ann")
	assert.Contains(t, got.Text, "<-works_at Ann")
	assert.NotContains(t, got.Text, "Bob", "L22")
}

func TestQ6_BriefingHasTheGraph(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	ann, bob, acme := b.entityOf(t, "person", "Ann"), b.entityOf(t, "person", "Bob"), b.entityOf(t, "organization", "Northwind")
	b.edge(t, ann, "works_at", acme)
	b.edge(t, bob, "works_at", acme)
	brief := func(scope knowledge.ScopeRef) string {
		got, err := b.all.Briefings.Brief(t.Context(), b.ws, briefingRequest(func(r *knowledge.BriefingRequest) { r.Scope = scope }))
		require.NoError(t, err)
		return got.Text
	}
	assert.NotContains(t, brief(everything()), "[GRAPH]", "Q6 not while wakeUpLayers is on")
	ws, err := b.workspaces.Update(t.Context(), b.to, service.WorkspacePatch{Memory: service.MemoryPatch{WakeUpLayers: ptr(false)}})
	require.NoError(t, err)
	b.ws = ws
	text := brief(everything())
	assert.Contains(t, text, "[GRAPH]\nKNOWLEDGE GRAPH (known entities and relationships):\n- [organization] Northwind", "Q6")
	assert.Contains(t, text, "<-works_at Bob")
	assert.Less(t, strings.Index(text, "[GRAPH]"), strings.Index(text, "[CURRENT MESSAGE]"), "L24 the order of the sections")

	text = brief(knowledge.ScopeRef{Contact: &knowledge.EntityRef{ID: ann.ID}})
	assert.Contains(t, text, "<-works_at Ann")
	assert.NotContains(t, text, "Bob", "R6 a contact's briefing says nothing of another contact")
	b.features = knowledge.EffectiveFeatures(knowledge.Deployment{Switches: knowledge.FeatureSwitches{knowledge.FeatureGraph: false}}, nil)
	assert.NotContains(t, brief(everything()), "[GRAPH]", "Q6 nor where the graph is switched off")
}

// What the graph hints at around a question stays inside the question's scope.
func TestL22_T23_HintsInScope(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	ann, bob, acme := b.entityOf(t, "person", "Ann"), b.entityOf(t, "person", "Bob"), b.entityOf(t, "organization", "Acme")
	b.edge(t, ann, "works_at", acme)
	b.edge(t, bob, "works_at", acme)
	b.entry(t, "Invoices", "Ann and Bob of Acme share invoices.")
	hints := func(scope knowledge.ScopeRef) []string {
		got, err := b.all.Recall.Recall(t.Context(), b.ws, knowledge.RecallQuery{
			Query: "invoices of Bob at Acme", Scope: scope, Limit: 5, Hops: 1, NeighborBudget: 16, Ranking: knowledge.RankingBest, Kinds: []knowledge.RecallKind{knowledge.RecallEntry},
		})
		require.NoError(t, err)
		require.Len(t, got.Hits, 1)
		return got.Hits[0].Hints
	}
	assert.Contains(t, hints(everything()), "direct:Bob")
	scoped := hints(knowledge.ScopeRef{Contact: &knowledge.EntityRef{ID: ann.ID}})
	assert.Contains(t, scoped, "direct:Acme")
	assert.Contains(t, scoped, "one-hop:Ann-[works_at]->Acme")
	assert.NotContains(t, strings.Join(scoped, " "), "Bob")
	assert.NotContains(t, strings.Join(hints(knowledge.ScopeRef{OrgGeneralOnly: true}), " "), "works_at")
}

// Walks of every kind keep to a contact's scope, whichever way they are made.
func TestL22_WalksInScope(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	ann, bob, acme, ledger := b.entityOf(t, "person", "Ann"), b.entityOf(t, "person", "Bob"), b.entityOf(t, "organization", "Acme"), b.entityOf(t, "tool", "Ledger")
	_, err := b.types.CreateEdgeType(t.Context(), b.to, knowledge.EdgeType{Key: "knows", Symmetric: true})
	require.NoError(t, err)
	own := b.edge(t, ann, "works_at", acme)
	for _, e := range []*knowledge.Entity{acme, ledger} {
		b.edge(t, bob, "uses", e)
	}
	both := b.edge(t, ann, "knows", bob)
	scope := knowledge.Profile{ContactID: ann.ID}.Scope()
	for _, at := range []knowledge.TimePoint{{}, {IncludeHistory: true}, {KnownAt: ptr(b.clock.Now())}, {KnownAt: ptr(b.clock.Now()), IncludeHistory: true}} {
		for _, direction := range []knowledge.Direction{knowledge.Both, knowledge.Outgoing} {
			for _, types := range [][]string{nil, {"uses"}, {"uses", "works_at", "knows"}} {
				got, err := b.navigation.Neighbors(t.Context(), b.ws.ID, service.NeighborQuery{Root: ann.ID, Hops: 3, Direction: direction, EdgeTypes: types, At: at, First: 50, Scope: scope})
				require.NoError(t, err)
				for _, n := range got.Nodes {
					assert.Contains(t, []string{acme.ID, bob.ID}, n.Entity.ID, "L12 nothing behind Bob")
				}
			}
		}
		sub, err := b.navigation.Subgraph(t.Context(), b.ws.ID, service.SubgraphQuery{Refs: []knowledge.EntityRef{{ID: ann.ID}, {ID: bob.ID}, {ID: acme.ID}, {ID: ledger.ID}}, At: at, Scope: scope})
		require.NoError(t, err)
		require.Len(t, sub.Edges, 2)
		assert.ElementsMatch(t, []string{own.ID, both.ID}, []string{sub.Edges[0].ID, sub.Edges[1].ID})
		pages, err := b.edges.OfEntities(t.Context(), b.ws.ID, []string{acme.ID, ledger.ID}, service.EdgeQuery{At: at, Scope: scope}, knowledge.PageRequest{First: 10})
		require.NoError(t, err)
		assert.Len(t, pages[acme.ID].Items, 1)
		assert.Empty(t, pages[ledger.ID].Items)
		counts, err := b.edges.CountOfEntities(t.Context(), b.ws.ID, []string{acme.ID, ledger.ID}, service.EdgeQuery{At: at, Scope: scope})
		require.NoError(t, err)
		assert.Equal(t, []int{1, 0}, []int{counts[acme.ID], counts[ledger.ID]}, "counts too")
		for _, direction := range []knowledge.Direction{knowledge.Both, knowledge.Outgoing} { // the latter is walked by hand, for the symmetric type
			_, err = b.navigation.ShortestPath(t.Context(), b.ws.ID, service.PathQuery{From: knowledge.EntityRef{ID: ann.ID}, To: knowledge.EntityRef{ID: ledger.ID}, MaxHops: 6, Direction: direction, At: at, Scope: scope})
			assert.True(t, knowledge.IsNotFound(err), "no way through Bob: %v", err)
		}
	}
}
