package service_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func sure(confidence float64) func(*knowledge.EntryDraft) {
	return func(d *knowledge.EntryDraft) { d.Confidence = confidence }
}

// relation stores a relation as it is.
func (b *entryBundle) relation(t *testing.T, r knowledge.Relation) {
	t.Helper()
	r.ID, r.WorkspaceID, r.CreatedAt, r.UpdatedAt = newID(knowledge.PrefixRelation), b.ws.ID, b.clock.Now(), b.clock.Now()
	require.NoError(t, b.store.InsertRelations(t.Context(), []*knowledge.Relation{&r}))
}

func (b *entryBundle) relationsTouching(t *testing.T, ids ...string) []*knowledge.Relation {
	t.Helper()
	found, err := b.store.RelationsTouching(t.Context(), ids)
	require.NoError(t, err)
	return found
}

// N14: the worked figures.
func TestN14_Dedup(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	anna := b.person(t, "Anna")
	survivor := b.entry(t, "home", "lives in Berlin", about(anna), at(1, 0), sure(0.9))
	loser := b.entry(t, "place", "Berlin-based", about(anna), at(1, 0), sure(0.6))
	third := b.entry(t, "work", "works at Acme", about(anna), at(0, 1))
	x := b.entry(t, "x", "a fact about something else", at(-1, 0))
	r1, r2, w1, w2 := "r1", "r2", 0.4, 0.95
	b.relation(t, knowledge.Relation{FromID: survivor.ID, ToID: x.ID, Type: knowledge.RelationSupports, Confidence: 0.4, Weight: &w1, ConfidenceTag: knowledge.TagAmbiguous, Provenance: knowledge.ProvenanceLLM, Rationale: &r1})
	kept := b.relationsTouching(t, survivor.ID)[0]
	b.clock.advance(time.Hour)
	b.relation(t, knowledge.Relation{FromID: loser.ID, ToID: x.ID, Type: knowledge.RelationSupports, Confidence: 0.95, Weight: &w2, ConfidenceTag: knowledge.TagExtracted, Provenance: knowledge.ProvenanceManual, Rationale: &r2})
	b.relation(t, knowledge.Relation{FromID: loser.ID, ToID: survivor.ID, Type: knowledge.RelationRelatesTo, Confidence: 1, ConfidenceTag: knowledge.TagExtracted, Provenance: knowledge.ProvenanceManual})
	b.relation(t, knowledge.Relation{FromID: third.ID, ToID: loser.ID, Type: knowledge.RelationCauses, Confidence: 1, ConfidenceTag: knowledge.TagExtracted, Provenance: knowledge.ProvenanceManual})
	moved := b.relationsTouching(t, third.ID)[0]

	dry := b.maintain(t, service.MaintenanceCall{Task: knowledge.TaskDedup, DryRun: true})
	assert.Equal(t, knowledge.OutcomeDryRun, dry.Outcome)
	assert.Equal(t, 1, dry.Count("merged"))
	assert.Equal(t, []string{`"place" goes into "home"`}, dry.Examples)
	assert.Len(t, b.idsOfEntries(t), 4, "a dry run changes nothing")

	run := b.maintain(t, service.MaintenanceCall{Task: knowledge.TaskDedup})
	assert.Equal(t, []knowledge.Count{{Key: "contacts", Count: 1}, {Key: "merged", Count: 1}}, run.Counts)
	assert.ElementsMatch(t, []string{survivor.ID, third.ID, x.ID}, b.idsOfEntries(t))
	after := b.entryByID(t, survivor.ID)
	assert.InDelta(t, 0.9, after.Confidence, 1e-9)
	assert.Equal(t, "lives in Berlin\nBerlin-based", after.Content)
	assert.NotNil(t, after.Embedding, "the embedding stays")
	found := b.relationsTouching(t, survivor.ID)
	require.Len(t, found, 2)
	for _, r := range found {
		if r.ID == moved.ID {
			assert.Equal(t, []any{third.ID, survivor.ID, moved.CreatedAt}, []any{r.FromID, r.ToID, r.CreatedAt}, "N8: re-pointed, with its id and time")
			continue
		}
		assert.Equal(t, kept.ID, r.ID)
		assert.Equal(t, kept.CreatedAt, r.CreatedAt)
		assert.InDelta(t, 0.95, r.Confidence, 1e-9)
		assert.InDelta(t, 0.95, *r.Weight, 1e-9)
		assert.Equal(t, knowledge.TagExtracted, r.ConfidenceTag)
		assert.Equal(t, knowledge.ProvenanceManual, r.Provenance)
		assert.Equal(t, "r1", *r.Rationale)
	}
	assert.Contains(t, titles(b.ask(t, knowledge.RecallQuery{Query: "Berlin-based", Scope: contactScope(anna)})), "home", "N7: found by what it took up")
	assert.Zero(t, b.maintain(t, service.MaintenanceCall{Task: knowledge.TaskDedup}).Count("merged"), "then 0")
}

// N9: only entries of one contact meet; what is general stays general.
func TestN9_DedupStaysInScope(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	anna, ben := b.person(t, "Anna"), b.person(t, "Ben")
	b.entry(t, "general", "said of nobody", at(1, 0))
	b.entry(t, "general too", "said of nobody else", at(1, 0))
	b.entry(t, "of Anna", "said of Anna", about(anna), at(1, 0))
	b.entry(t, "of Ben", "said of Ben", about(ben), at(1, 0))
	assert.Zero(t, b.maintain(t, forced(knowledge.TaskDedup)).Count("merged"))
	both := b.entry(t, "of both", "said of both", about(anna, ben), at(1, 0), sure(0.9))
	assert.Equal(t, 2, b.maintain(t, forced(knowledge.TaskDedup)).Count("merged"), "each of the two has a contact with it in common")
	assert.Equal(t, "said of both\nsaid of Anna\nsaid of Ben", b.entryByID(t, both.ID).Content)
	assert.ElementsMatch(t, []string{"general too", "general"}, titles(b.ask(t, knowledge.RecallQuery{Query: "said of", Scope: knowledge.ScopeRef{OrgGeneralOnly: true}})))
}

// N4, N8, N10: what stays apart.
func TestN8_DedupLeavesForLater(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	anna := b.person(t, "Anna")
	b.entry(t, "fact", "one", about(anna), at(1, 0), sure(0.9))
	b.entry(t, "goal", "two", about(anna), at(1, 0), func(d *knowledge.EntryDraft) { d.Type = knowledge.EntryGoal })
	b.entry(t, "no vector", "three", about(anna), at())
	ended := b.entry(t, "ended", "four", about(anna), at(1, 0))
	b.clock.advance(time.Hour)
	_, err := b.entries.End(t.Context(), b.to, ended.ID, nil, nil)
	require.NoError(t, err)
	assert.Zero(t, b.maintain(t, forced(knowledge.TaskDedup)).Count("merged"), "N10: of other types, without a vector, not true any more")
	hub := b.entry(t, "hub", "five", about(anna), at(1, 0))
	b.crowd(t, hub.ID, 500, 0)
	assert.Zero(t, b.maintain(t, forced(knowledge.TaskDedup)).Count("merged"), "N8: too many relations")
	b.cypher(t, "MATCH (:Entry {id: $id})-[r:ENTRY_SUPPORTS]->() WITH r LIMIT 1 DELETE r", map[string]any{"id": hub.ID})
	assert.Equal(t, 1, b.maintain(t, forced(knowledge.TaskDedup)).Count("merged"))
}

// N4, T5: links, supports and contacts are united; many contacts are gone through by pages.
func TestN4_DedupManyContacts(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	city := b.thing(t, b.to, "Berlin", 1)
	var keep []string
	for i := range 60 {
		p := b.person(t, fmt.Sprint("Person ", i))
		if i%20 != 0 {
			b.entry(t, fmt.Sprint("alone ", i), fmt.Sprint("only one ", i), about(p), at(1, 0))
			continue
		}
		keep = append(keep, b.entry(t, fmt.Sprint("home ", i), "lives there", about(p), at(1, 0), sure(0.9), func(d *knowledge.EntryDraft) { d.DocID = "doc-1" }).ID)
		b.entry(t, fmt.Sprint("place ", i), "is based there", about(p), at(1, 0), func(d *knowledge.EntryDraft) {
			d.DocID, d.Mentions, d.Tags = "doc-2", []knowledge.EntityRef{{ID: city.ID}}, []string{"place"}
		})
	}
	run := b.maintain(t, forced(knowledge.TaskDedup))
	assert.Equal(t, []knowledge.Count{{Key: "contacts", Count: 60}, {Key: "merged", Count: 3}}, run.Counts)
	supports, err := b.entries.Supports(t.Context(), b.ws.ID, keep)
	require.NoError(t, err)
	for _, id := range keep {
		e := b.entryByID(t, id)
		assert.Equal(t, []string{city.ID}, e.MentionIDs)
		assert.Equal(t, []string{"place"}, e.Tags)
		assert.Len(t, supports[id], 2, "T5: it rests on both")
	}
}

func fromDocument(doc string) func(*knowledge.EntryDraft) {
	return func(d *knowledge.EntryDraft) { d.DocID = doc }
}

// T5: what DEDUP joined from a document goes with it, with what was derived from it; the rest stays.
func TestT5_JoinedContentGoesWithItsSupport(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	anna := b.person(t, "Anna")
	home := b.entry(t, "home", "lives in Berlin", about(anna), at(1, 0), sure(0.9), fromDocument("doc-1"))
	b.entry(t, "place", "Kreuzberg-based", about(anna), at(1, 0), sure(0.8), fromDocument("doc-2"))
	b.entry(t, "flat", "has a flat in Mitte", about(anna), at(1, 0), sure(0.7))
	require.Equal(t, 2, b.maintain(t, forced(knowledge.TaskDedup)).Count("merged"))
	require.Equal(t, "lives in Berlin\nKreuzberg-based\nhas a flat in Mitte", b.entryByID(t, home.ID).Content)

	_, err := b.edges.InvalidateDocument(t.Context(), b.to, "doc-2", nil)
	require.NoError(t, err)
	left := b.entryByID(t, home.ID)
	assert.Equal(t, "lives in Berlin\nhas a flat in Mitte", left.Content)
	assert.Equal(t, "home", left.Title)
	assert.Equal(t, knowledge.ContentHash(left.Title, left.Content), left.ContentHash)
	assert.Nil(t, left.Embedding, "its vector is made anew")
	assert.Empty(t, titles(b.ask(t, knowledge.RecallQuery{Query: "Kreuzberg", Scope: contactScope(anna)})), "its words are not found any more")

	_, err = b.edges.InvalidateDocument(t.Context(), b.to, "doc-1", nil)
	require.NoError(t, err)
	left = b.entryByID(t, home.ID)
	assert.Equal(t, "has a flat in Mitte", left.Content, "a person's own word stays")
	assert.Equal(t, "has a flat in Mitte", left.Title)
}
