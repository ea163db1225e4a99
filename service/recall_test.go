package service_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func TestL7_Scopes(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	x, y := b.person(t, "X"), b.person(t, "Y")
	b.entry(t, "general", "the plan of the year", at(1, 0))
	b.entry(t, "of x", "the plan of x", about(x), at(1, 0.1))
	b.entry(t, "of y", "the plan of y", about(y), at(1, 0.2))
	b.entry(t, "of both", "the plan of x and y", about(x, y), at(1, 0.3))
	for name, c := range map[string]struct {
		scope knowledge.ScopeRef
		want  []string
	}{
		"org-wide sees all":              {orgWide(), []string{"general", "of x", "of y", "of both"}},
		"general only":                   {knowledge.ScopeRef{OrgGeneralOnly: true}, []string{"general"}},
		"a contact, and what is general": {contactScope(x), []string{"general", "of x", "of both"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.ElementsMatch(t, c.want, titles(b.ask(t, knowledge.RecallQuery{Query: "plan", Scope: c.scope})), "by words")
			require.ElementsMatch(t, c.want, titles(b.ask(t, knowledge.RecallQuery{Embedding: []float32{1, 0}, Scope: c.scope})), "by meaning")
		})
	}
	other := withEntries(t)
	require.Empty(t, titles(other.ask(t, knowledge.RecallQuery{Query: "plan", Embedding: []float32{1, 0}, Scope: orgWide()})), "R1 another workspace")
}

func TestL1_BadRecalls(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	foreign := withEntries(t).person(t, "Foreign")
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		field string
		edit  func(*knowledge.RecallQuery)
	}{
		"L1 no scope":                          {"scope", func(q *knowledge.RecallQuery) { q.Scope = knowledge.ScopeRef{} }},
		"L1 two scopes":                        {"scope", func(q *knowledge.RecallQuery) { q.Scope = knowledge.ScopeRef{OrgWide: true, OrgGeneralOnly: true} }},
		"L1 a contact of another workspace":    {"scope.contact", func(q *knowledge.RecallQuery) { q.Scope = contactScope(foreign) }},
		"L2 nothing to look for":               {"query", func(q *knowledge.RecallQuery) { q.Query = " \n " }},
		"U limit 0":                            {"limit", func(q *knowledge.RecallQuery) { q.Limit = 0 }},
		"U limit 1,000":                        {"limit", func(q *knowledge.RecallQuery) { q.Limit = 1000 }},
		"L10 three hops":                       {"hops", func(q *knowledge.RecallQuery) { q.Hops, q.NeighborBudget = 3, 1 }},
		"L10 a budget of 33":                   {"neighborBudget", func(q *knowledge.RecallQuery) { q.Hops, q.NeighborBudget = 1, 33 }},
		"T10 an embedding of the wrong length": {"embedding", func(q *knowledge.RecallQuery) { q.Embedding = []float32{1, 2, 3} }},
		"T10 an embedding with NaN":            {"embedding", func(q *knowledge.RecallQuery) { q.Embedding = []float32{nan, 1} }},
		"an unknown type":                      {"types", func(q *knowledge.RecallQuery) { q.Types = []knowledge.EntryType{"rumour"} }},
		"an unknown ranking":                   {"ranking", func(q *knowledge.RecallQuery) { q.Ranking = "luck" }},
		"an unknown kind":                      {"kinds", func(q *knowledge.RecallQuery) { q.Kinds = []knowledge.RecallKind{"dream"} }},
	} {
		t.Run(name, func(t *testing.T) {
			q := knowledge.RecallQuery{Query: "x", Scope: orgWide(), Limit: 10}
			c.edit(&q)
			_, err := b.recall.Recall(t.Context(), b.ws, q)
			var e *knowledge.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, knowledge.CodeInvalidInput, e.Code)
			require.Equal(t, c.field, e.Field)
		})
	}
}

func TestL2_AnEmbedderThatFails(t *testing.T) {
	t.Parallel()
	down := func(context.Context, []string) ([][]float32, error) {
		return nil, errors.New("connection refused to http://secret")
	}
	short := func(_ context.Context, texts []string) ([][]float32, error) {
		return make([][]float32, len(texts)+1), nil
	}
	wrong := func(_ context.Context, texts []string) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i := range out {
			out[i] = []float32{1, 2, 3}
		}
		return out, nil
	}
	for name, answer := range map[string]func(context.Context, []string) ([][]float32, error){"down": down, "too many": short, "T18 wrong dimensions": wrong} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := withEmbedder(t, failing{plane(), answer})
			e := b.entry(t, "Note", "the parrot sings", func(*knowledge.EntryDraft) {})
			require.Nil(t, e.Embedding)
			found := b.ask(t, knowledge.RecallQuery{Query: "parrot", Scope: orgWide()})
			require.Equal(t, []string{"Note"}, titles(found))
			require.Len(t, found.Degraded, 1)
			require.Equal(t, knowledge.LegVector, found.Degraded[0].Leg)
			require.NotContains(t, found.Degraded[0].Reason, "secret")
		})
	}
}

func TestL9_AccessMarks(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	e := b.entry(t, "Note", "the parrot sings")
	gone := b.entry(t, "Gone", "the parrot is gone")
	for range 3 {
		b.ask(t, knowledge.RecallQuery{Query: "parrot", Scope: orgWide()})
	}
	_, err := b.entries.Delete(t.Context(), b.to, gone.ID)
	require.NoError(t, err)
	require.NoError(t, b.marks.Flush(t.Context()))
	byID, err := b.entries.ByIDs(t.Context(), b.ws.ID, []string{e.ID})
	require.NoError(t, err)
	require.Equal(t, 3, byID[e.ID].AccessCount, "G15")
	require.Equal(t, b.clock.Now(), *byID[e.ID].LastAccessedAt)
	require.Equal(t, e.UpdatedAt, byID[e.ID].UpdatedAt)
}

func TestT10_AnExactWordIsFirst(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	a := b.person(t, "A")
	var drafts []knowledge.EntryDraft
	for i := range 60 {
		n := string(rune('0'+i/10)) + string(rune('0'+i%10))
		drafts = append(drafts, b.draft("Invoice note "+n, "Invoice INV-209"+n+" was paid on time by the customer.", about(a), at(1, float32(i)/100)))
	}
	out, err := b.entries.CreateMany(t.Context(), b.to, drafts, false)
	require.NoError(t, err)
	require.Len(t, out, 60)
	b.entry(t, "Dispute", "invoice INV-30931 is disputed", about(a), at(-1, 0))
	require.Equal(t, "Dispute", titles(b.ask(t, knowledge.RecallQuery{Query: "INV-30931", Scope: contactScope(a)}))[0])
}

func TestT11_TextIsNeverSyntax(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	b.entry(t, "Report", "EBITDA of NORD AND OR NOT, a/b, C++, \"quoted\", install | bash, (x")
	for _, q := range []string{
		"EBITDA", "NORD AND OR NOT", "a/b", "C++", "tb-", `"quote`, "install | bash", "(x", "the of and", "😀", "[a TO b]", "filterKeys:x", "*", "?", `\`, "a^9", "~", "+-!(){}", strings.Repeat("parrot ", 900),
	} {
		found := b.ask(t, knowledge.RecallQuery{Query: q, Scope: orgWide()})
		require.Len(t, found.Degraded, 1, q) // the embedder is off
	}
	require.Len(t, b.ask(t, knowledge.RecallQuery{Query: "C++", Scope: orgWide()}).Hits, 1)
}

func TestK11_ExpiredEntriesAreNotFound(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	days := 1.0
	b.entry(t, "short", "parrots are loud", at(1, 0), func(d *knowledge.EntryDraft) { d.ExpiresInDays = &days })
	b.entry(t, "long", "parrots are green", at(1, 0))
	b.clock.advance(24*time.Hour - time.Second)
	q := knowledge.RecallQuery{Query: "parrots", Embedding: []float32{1, 0}, Scope: orgWide()}
	require.Len(t, b.ask(t, q).Hits, 2)
	b.clock.advance(time.Second)
	require.Equal(t, []string{"long"}, titles(b.ask(t, q)), "K11 at the moment itself")
	list, err := b.entries.List(t.Context(), b.ws.ID, knowledge.EntryFilter{}, knowledge.TimePoint{}, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	list, err = b.entries.List(t.Context(), b.ws.ID, knowledge.EntryFilter{IncludeExpired: true}, knowledge.TimePoint{}, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, list.Items, 2)
}

func TestQ3_KnowledgeSwitchedOff(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	dana := b.person(t, "Dana")
	b.entry(t, "Note", "the parrot sings")
	b.features = knowledge.EffectiveFeatures(knowledge.Deployment{Switches: knowledge.FeatureSwitches{knowledge.FeatureAIKnowledge: false}}, nil)
	require.Empty(t, b.ask(t, knowledge.RecallQuery{Query: "parrot", Scope: orgWide()}).Hits)
	e := b.entry(t, "Another", "written by hand still works", about(dana))
	page := knowledge.PageRequest{First: 10}
	list, err := b.entries.Browse(t.Context(), b.ws, knowledge.EntryFilter{}, knowledge.TimePoint{}, page)
	require.NoError(t, err)
	require.Empty(t, list.Items)
	n, err := b.entries.BrowseCount(t.Context(), b.ws, knowledge.EntryFilter{}, knowledge.TimePoint{})
	require.NoError(t, err)
	require.Zero(t, n)
	found, err := b.entries.Search(t.Context(), b.ws, "parrot", knowledge.EntryFilter{}, false, knowledge.TimePoint{}, page)
	require.NoError(t, err)
	require.Empty(t, found.Items)
	pages, err := b.entries.OfEntities(t.Context(), b.ws.ID, []string{dana.ID}, service.EntityEntryQuery{}, page)
	require.NoError(t, err)
	require.Empty(t, pages[dana.ID].Items)
	byID, err := b.entries.ByIDs(t.Context(), b.ws.ID, []string{e.ID})
	require.NoError(t, err)
	require.Len(t, byID, 1, "what is named by its id is there")
}
