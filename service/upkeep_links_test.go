package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// N11: only what a model guessed, was not sure of, and is older than 30 days goes.
func TestN11_StaleGuesses(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	var ids []string
	for _, title := range []string{"a", "b", "c", "d", "e", "f"} {
		ids = append(ids, b.entry(t, title, title).ID)
	}
	guess := knowledge.Relation{FromID: ids[0], Type: knowledge.RelationSupports, Confidence: 0.5, ConfidenceTag: knowledge.TagAmbiguous, Provenance: knowledge.ProvenanceLLM}
	for i, change := range []func(*knowledge.Relation){
		func(*knowledge.Relation) {},
		func(r *knowledge.Relation) { r.ConfidenceTag = knowledge.TagInferred },
		func(r *knowledge.Relation) { r.Provenance = knowledge.ProvenanceManual },
		func(r *knowledge.Relation) { r.Provenance = knowledge.ProvenanceDeterministic },
	} {
		r := guess
		r.ToID = ids[i+1]
		change(&r)
		b.relation(t, r)
	}
	b.clock.advance(time.Microsecond)
	recent := guess
	recent.ToID = ids[5]
	b.relation(t, recent)
	b.days(30)
	run := b.maintainBy(t, b.server(inBatches(2)), service.MaintenanceCall{Task: knowledge.TaskStaleGuesses})
	assert.Equal(t, []knowledge.Count{{Key: "processed", Count: 6}, {Key: "removed", Count: 1}}, run.Counts)
	left := b.relationsTouching(t, ids[0])
	assert.Len(t, left, 4)
	for _, r := range left {
		assert.NotEqual(t, ids[1], r.ToID)
	}
	b.clock.advance(time.Microsecond)
	assert.Equal(t, 1, b.maintain(t, service.MaintenanceCall{Task: knowledge.TaskStaleGuesses}).Count("removed"), "exactly 30 days is not older")
}

// N15: entries that share mentions are joined inside one scope, and can be taken apart as a whole.
func TestN15_ScopedExpansion(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	anna, ben := b.person(t, "Anna"), b.person(t, "Ben")
	kafka, redis := b.thing(t, b.to, "kafka", 1), b.thing(t, b.to, "redis", 1)
	first := b.entry(t, "first", "one", about(anna), mentions(kafka, redis), at(1, 0))
	b.clock.advance(time.Minute)
	two := b.entry(t, "two shared", "two", about(anna), mentions(kafka, redis), at(0, 1))
	b.clock.advance(time.Minute)
	alike := b.entry(t, "one shared and alike", "three", about(anna), mentions(kafka), at(0.9, 0.1))
	b.entry(t, "one shared", "four", about(anna), mentions(redis), at(-1, 0.1))
	b.entry(t, "another scope", "five", about(ben), mentions(kafka, redis), at(1, 0))
	general := b.entry(t, "general", "six", mentions(kafka, redis), at(1, 0))
	other := b.entry(t, "general too", "seven", mentions(kafka, redis), at(-1, 0))
	manual := b.entry(t, "related by hand", "eight", about(anna), mentions(kafka, redis), at(1, 0))
	_, err := b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: manual.ID}, To: knowledge.EntryRef{ID: first.ID}, Type: knowledge.RelationSupports, Confidence: 1})
	require.NoError(t, err)

	dry := b.maintain(t, service.MaintenanceCall{Task: knowledge.TaskScopedExpansion, DryRun: true})
	run := b.maintain(t, service.MaintenanceCall{Task: knowledge.TaskScopedExpansion})
	assert.Equal(t, dry.Counts, run.Counts)
	assert.NotEmpty(t, dry.Examples)
	pairs := map[[2]string]*knowledge.Relation{}
	for _, r := range b.relationsTouching(t, b.idsOfEntries(t)...) {
		if r.Origin != "" {
			pairs[[2]string{r.FromID, r.ToID}] = r
		}
	}
	require.Contains(t, pairs, [2]string{first.ID, two.ID})
	require.Contains(t, pairs, [2]string{first.ID, alike.ID})
	require.Contains(t, pairs, [2]string{general.ID, other.ID})
	for pair, r := range pairs {
		assert.Equal(t, knowledge.RelationRelatesTo, r.Type)
		assert.Equal(t, knowledge.ProvenanceDeterministic, r.Provenance)
		assert.InDelta(t, 0.3, *r.Weight, 1e-9)
		assert.NotEmpty(t, *r.Rationale)
		a, c := b.entryByID(t, pair[0]), b.entryByID(t, pair[1])
		assert.Equal(t, a.ContactIDs, c.ContactIDs, "never across scopes")
		assert.NotContains(t, []string{a.Title, c.Title}, "one shared")
		assert.False(t, pair == [2]string{first.ID, manual.ID} || pair == [2]string{manual.ID, first.ID}, "never a pair that has a relation")
	}
	assert.Equal(t, len(pairs), run.Count("linked"))
	assert.Zero(t, b.maintain(t, service.MaintenanceCall{Task: knowledge.TaskScopedExpansion}).Count("linked"), "a second run changes nothing")

	confirmed := pairs[[2]string{first.ID, two.ID}]
	_, err = b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: first.ID}, To: knowledge.EntryRef{ID: two.ID}, Type: knowledge.RelationRelatesTo, Confidence: 1})
	require.NoError(t, err)
	undone := b.maintain(t, service.MaintenanceCall{Task: knowledge.TaskScopedExpansion, Undo: true})
	assert.Equal(t, len(pairs)-1, undone.Count("removed"))
	left := b.relationsTouching(t, b.idsOfEntries(t)...)
	require.Len(t, left, 2, "what a person made or confirmed stays")
	for _, r := range left {
		if r.ID == confirmed.ID {
			assert.Equal(t, knowledge.ProvenanceManual, r.Provenance)
		}
	}
	_, err = b.all.Upkeep.Run(t.Context(), b.to, service.MaintenanceCall{Task: knowledge.TaskDedup, Undo: true})
	assert.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err))
}

// T18: after the model changed, vectors of the new one are made, while those of the old one
// stay for who still uses them; without an embedder the task says so.
func TestT18_Reembed(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	anna := b.person(t, "Anna")
	old := b.entry(t, "home", "lives in Berlin", about(anna), at(1, 0))
	none := b.entry(t, "quiet", "wants no vector", at())
	_, err := b.notes.Add(t.Context(), b.to, knowledge.ObservationDraft{Entity: knowledge.EntityRef{ID: anna.ID}, Text: "likes tea"})
	require.NoError(t, err)
	_, err = b.edges.Assert(t.Context(), b.to, knowledge.EdgeDraft{From: knowledge.EntityRef{ID: anna.ID}, To: knowledge.EntityRef{ID: b.thing(t, b.to, "Acme", 1).ID}, Type: "uses"})
	require.NoError(t, err)
	_, err = b.all.Upkeep.Run(t.Context(), b.to, forced(knowledge.TaskReembed))
	assert.Equal(t, knowledge.CodeUnavailable, knowledge.CodeOf(err), "there is no embedder")

	space := knowledge.EmbeddingModel{Name: "space", Hash: "test", Dimensions: 3}
	next := b.server(func(c *service.Config) {
		c.Embeddings = service.EmbeddingsConfig{Embedder: failing{space, func(_ context.Context, texts []string) ([][]float32, error) {
			out := make([][]float32, len(texts))
			for i := range texts {
				out[i] = []float32{1, float32(i), 0}
			}
			return out, nil
		}}}
	})
	assert.Equal(t, 1, b.maintainBy(t, next, service.MaintenanceCall{Task: knowledge.TaskReembed, DryRun: true}).Count("entries"))
	run := b.maintainBy(t, next, forced(knowledge.TaskReembed))
	assert.Equal(t, []int{1, 1, 1, 0}, []int{run.Count("entries"), run.Count("observations"), run.Count("edges"), run.Count("withoutVector")})
	found, err := next.Entries.ByIDs(t.Context(), b.ws.ID, []string{old.ID, none.ID})
	require.NoError(t, err)
	assert.Equal(t, "space", found[old.ID].Embedding.Model)
	assert.False(t, found[old.ID].Embedding.Stale)
	assert.Nil(t, found[none.ID].Embedding, "who wanted none has none")
	for _, model := range []knowledge.EmbeddingModel{plane(), space} {
		vectors, err := b.store.EntryVectors(t.Context(), b.ws.ID, []string{old.ID}, model)
		require.NoError(t, err)
		assert.Len(t, vectors[old.ID], model.Dimensions, "both are there")
	}
	again := b.maintainBy(t, next, forced(knowledge.TaskReembed))
	assert.Zero(t, again.Count("entries")+again.Count("observations")+again.Count("edges"))
}
