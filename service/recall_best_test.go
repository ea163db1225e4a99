package service_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func mentions(entities ...*knowledge.Entity) func(*knowledge.EntryDraft) {
	return func(d *knowledge.EntryDraft) {
		for _, e := range entities {
			d.Mentions = append(d.Mentions, knowledge.EntityRef{ID: e.ID})
		}
	}
}

func inThread(thread string) func(*knowledge.EntryDraft) {
	return func(d *knowledge.EntryDraft) { d.ThreadID = thread }
}

// A film's passage names its director, whose own passage says where she was born.
func TestBest_WhatIsAboutAMentionedEntity(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	film, director := b.entityOf(t, "concept", "The Long Walk"), b.entityOf(t, "person", "Ada Winter")
	b.entry(t, "The Long Walk", "A film of 1971 by Ada Winter.", mentions(film), at(1, 0))
	b.entry(t, "Ada Winter", "She came to the world in Ulm.", mentions(director), func(d *knowledge.EntryDraft) { d.Embedding = &[]float32{} })
	for i := range 12 {
		b.entry(t, fmt.Sprint("Other ", i), fmt.Sprintf("Another film of the year, number %d.", i), at(0.5, float32(i)/10))
	}
	q := knowledge.RecallQuery{Query: "Where was the director of the film The Long Walk born?", Embedding: []float32{1, 0}, Scope: orgWide(), Explain: true}
	found := b.ask(t, q)
	require.Equal(t, []string{"The Long Walk", "Ada Winter"}, titles(found)[:2])
	require.Equal(t, knowledge.ModeGraph, found.Mode)
	require.Equal(t, []string{director.ID}, found.Hits[1].ViaMentionIDs)
	require.Equal(t, 1, found.Hits[1].Hops)
	q.Expand = ptr(false)
	found = b.ask(t, q)
	require.NotContains(t, titles(found), "Ada Winter")
	require.Equal(t, knowledge.ModeFlat, found.Mode)
	for _, h := range found.Hits {
		require.Empty(t, h.ViaMentionIDs)
	}
}

func TestL12_NothingLeaksThroughMentionsOrThreads(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	x, y := b.person(t, "Contact X"), b.person(t, "Contact Y")
	project := b.entityOf(t, "project", "Apollo")
	none := func(d *knowledge.EntryDraft) { d.Embedding = &[]float32{} }
	b.entry(t, "Meeting", "We talked about Apollo with the customer.", about(x), inThread("th"), at(1, 0))
	b.entry(t, "Secret of Y", "It is three months late.", about(y), mentions(project), inThread("th"), none)
	b.entry(t, "Next", "Then we had lunch.", about(x), inThread("th"), none)
	b.entry(t, "General", "It flies in May.", mentions(project), none)
	found := b.ask(t, knowledge.RecallQuery{Query: "what of Apollo and the customer", Embedding: []float32{1, 0}, Scope: contactScope(x), Hops: 2, NeighborBudget: 32, Explain: true})
	require.ElementsMatch(t, []string{"Meeting", "General", "Next"}, titles(found))
	wide := b.ask(t, knowledge.RecallQuery{Query: "what of Apollo and the customer", Embedding: []float32{1, 0}, Scope: orgWide(), Hops: 2, NeighborBudget: 32})
	require.ElementsMatch(t, []string{"Meeting", "General", "Next", "Secret of Y"}, titles(wide))

	// What else is about the entity is not to be seen, so it does not count as many either.
	for i := range 5 {
		b.entry(t, fmt.Sprint("More of Y ", i), fmt.Sprint("Detail ", i), about(y), mentions(project), none)
	}
	again := b.ask(t, knowledge.RecallQuery{Query: "what of Apollo and the customer", Embedding: []float32{1, 0}, Scope: contactScope(x), Hops: 2, NeighborBudget: 32, Explain: true})
	require.Equal(t, titles(found), titles(again), "T13 what scope drops is not hinted at")
}

func TestBest_NeighboursInAThread(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	said := func(minute int, text string, vector ...float32) {
		when := b.clock.Now().Add(time.Duration(minute-600) * time.Minute)
		b.entry(t, fmt.Sprint("Turn ", minute), text, inThread("t"), at(vector...), func(d *knowledge.EntryDraft) { d.ValidFrom = &when })
	}
	said(1, "Which parrot did you buy?", 1, 0)
	said(2, "The green one.", -1, 0.1)
	said(3, "Good.", -1, 0.2)
	for i := range 8 {
		b.entry(t, fmt.Sprint("Other ", i), fmt.Sprint("unrelated ", i), at(0, 1))
	}
	found := b.ask(t, knowledge.RecallQuery{Query: "parrot", Embedding: []float32{1, 0}, Scope: orgWide(), Limit: 3, Expand: ptr(false)})
	require.Equal(t, "Turn 1", titles(found)[0])
	require.Equal(t, "Turn 2", titles(found)[1], "the answer stands beside the question")
}

func TestT9_RanksDoNotDependOnOtherWorkspaces(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	words := []string{"invoice", "dispute", "parrot", "contract", "lunch", "green", "plan", "late"}
	for i := range 40 {
		b.entry(t, fmt.Sprint("Note ", i), fmt.Sprintf("%s %s %s number %d", words[i%8], words[(i*3+1)%8], words[(i*5+2)%8], i), at(float32(i%7), float32(i%5)+1))
	}
	ask := func() []string {
		return titles(b.ask(t, knowledge.RecallQuery{Query: "the invoice dispute about a parrot", Embedding: []float32{1, 1}, Scope: orgWide(), Limit: 20}))
	}
	before := ask()
	other := withEntries(t)
	var drafts []knowledge.EntryDraft
	for i := range 600 {
		drafts = append(drafts, other.draft(fmt.Sprint("Note ", i), fmt.Sprintf("invoice invoice dispute %d %d", i, i*i), at(1, float32(i)/600)))
	}
	_, err := other.entries.CreateMany(t.Context(), other.to, drafts, false)
	require.NoError(t, err)
	require.Equal(t, before, ask())
}

func TestT12_EveryScript(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	for title, text := range map[string]string{
		"zoe": "Zoë Ångström moved to Malmö", "wang": "王小明住在北京", "ivan": "Иван Петров работает в Москве", "muhammad": "محمد يعمل في القاهرة",
		"ai": "Ｔｈｅ ＡＩ team", "korean": "김민수는 서울에 산다", "thai": "สมชายทำงานที่กรุงเทพ", "german": "Die Bürostühle wurden geliefert",
	} {
		b.entry(t, title, text)
	}
	for query, want := range map[string]string{
		"Angstrom": "zoe", "Ångström": "zoe", "北京": "wang", "王小明": "wang", "петров": "ivan", "محمد": "muhammad", "ai": "ai", "서울": "korean", "กรุงเทพ": "thai", "Bürostuhl": "german",
	} {
		require.Contains(t, titles(b.ask(t, knowledge.RecallQuery{Query: query, Scope: orgWide()})), want, query)
	}
}

func TestT10_AVectorThatIsMissingOrWrong(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	b.entry(t, "with", "a parrot", at(1, 0))
	b.entry(t, "none", "a parrot too", func(d *knowledge.EntryDraft) { d.Embedding = &[]float32{} })
	broken := b.entry(t, "broken", "another parrot", at(1, 0.1))
	require.NoError(t, b.store.SetEntryVectors(t.Context(), []knowledge.EntryVector{{ID: broken.ID, Hash: broken.ContentHash, Vector: []float32{1, 2, 3}, At: b.clock.Now()}}, plane()))
	found := b.ask(t, knowledge.RecallQuery{Query: "parrot", Embedding: []float32{1, 0}, Scope: orgWide()})
	require.ElementsMatch(t, []string{"with", "none", "broken"}, titles(found))
	for _, h := range found.Hits {
		require.Equal(t, h.Entry().Title == "with", h.Similarity != nil, h.Entry().Title)
	}
}

// embedder makes the vector (1, 0) of everything, while it is up.
func embedder(model knowledge.EmbeddingModel, up *atomic.Bool) failing {
	return failing{model, func(_ context.Context, texts []string) ([][]float32, error) {
		if !up.Load() {
			return nil, errors.New("down")
		}
		out := make([][]float32, len(texts))
		for i := range out {
			out[i] = make([]float32, model.Dimensions)
			out[i][0] = 1
		}
		return out, nil
	}}
}

func TestK5_VectorsFollowInTheBackground(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	model := plane()
	model.Hash = newID("model") // so that nobody else fills what waits for it
	b := withEmbedder(t, embedder(model, &up))
	e := b.entry(t, "Note", "the parrot sings")
	gone := b.entry(t, "Gone", "the parrot is gone")
	require.Nil(t, e.Embedding)
	_, err := b.embeddings.Fill(t.Context())
	require.Error(t, err)
	require.Equal(t, []string{"Note", "Gone"}, titles(b.ask(t, knowledge.RecallQuery{Query: "parrot sings", Scope: orgWide()})), "found by words meanwhile")
	_, err = b.entries.Delete(t.Context(), b.to, gone.ID)
	require.NoError(t, err)
	up.Store(true)
	_, err = b.embeddings.Fill(t.Context())
	require.NoError(t, err)
	byID, err := b.entries.ByIDs(t.Context(), b.ws.ID, []string{e.ID})
	require.NoError(t, err)
	require.Equal(t, &knowledge.EmbeddingInfo{Model: "plane", Key: model.Key(), Dimensions: 2, GeneratedAt: b.clock.Now()}, byID[e.ID].Embedding)
	found := b.ask(t, knowledge.RecallQuery{Query: "anything", Scope: orgWide()})
	require.Equal(t, []string{"Note"}, titles(found), "found by meaning now")
	require.Empty(t, found.Degraded)
}

func TestT18_AnotherModel(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	up.Store(true)
	b := withEmbedder(t, embedder(plane(), &up))
	e := b.entry(t, "Note", "the parrot sings")
	require.NotNil(t, e.Embedding)

	space := knowledge.EmbeddingModel{Name: "space", Hash: "other", Dimensions: 3}
	later := service.New(service.Config{
		Store: b.store, Embeddings: service.EmbeddingsConfig{Embedder: embedder(space, &up)},
		Features: func(*knowledge.Workspace) []knowledge.Feature {
			return knowledge.EffectiveFeatures(knowledge.Deployment{}, nil)
		},
		Clock: b.clock.Now, NewID: newID,
	})
	found, err := later.Recall.Recall(t.Context(), b.ws, knowledge.RecallQuery{Query: "parrot", Scope: orgWide(), Limit: 10})
	require.NoError(t, err)
	require.Equal(t, []string{"Note"}, titles(found), "by words")
	require.Nil(t, found.Hits[0].Similarity, "vectors of two models are never compared")
	require.True(t, found.Hits[0].Entry().Embedding.Stale)
	require.Len(t, found.Degraded, 1)
	require.Equal(t, knowledge.LegVector, found.Degraded[0].Leg)
	require.Contains(t, found.Degraded[0].Reason, "maintain REEMBED")
	old := b.ask(t, knowledge.RecallQuery{Query: "parrot", Scope: orgWide()})
	require.NotNil(t, old.Hits[0].Similarity, "the old index serves whoever has the old model")
}

func upNow() *atomic.Bool {
	var up atomic.Bool
	up.Store(true)
	return &up
}
