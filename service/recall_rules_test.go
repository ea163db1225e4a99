package service_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// With expansion every hit says that it is superseded or disputed, also one that the walk
// did not start from, whatever the type of what says so; never by what the asker may not
// see.
func TestL18_MarksBeyondTheSeeds(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	x, y := b.person(t, "X"), b.person(t, "Y")
	silent := func(d *knowledge.EntryDraft) { d.Embedding = &[]float32{} }
	join := func(from *knowledge.Entry, kind knowledge.RelationType, to *knowledge.Entry) {
		_, err := b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: from.ID}, To: knowledge.EntryRef{ID: to.ID}, Type: kind, Confidence: 1})
		require.NoError(t, err)
	}
	var notes []*knowledge.Entry
	for i := range knowledge.MaxSeeds + 6 {
		notes = append(notes, b.entry(t, fmt.Sprintf("note %02d", i), fmt.Sprintf("what is said %d", i), at(1, float32(i)/50)))
	}
	stale, disputed, secret, ended := notes[knowledge.MaxSeeds+1], notes[knowledge.MaxSeeds+2], notes[knowledge.MaxSeeds+3], notes[knowledge.MaxSeeds+4]
	decision := func(d *knowledge.EntryDraft) { d.Type = knowledge.EntryDecision }
	join(b.entry(t, "newer", "the word of today", silent, decision, about(x)), knowledge.RelationSupersedes, stale)
	join(disputed, knowledge.RelationContradicts, b.entry(t, "other", "the other view", silent))
	join(b.entry(t, "of y", "the word of y", silent, about(y)), knowledge.RelationSupersedes, secret)
	past := b.entry(t, "past", "no longer said", silent)
	join(past, knowledge.RelationSupersedes, ended)
	b.clock.advance(time.Second)
	_, err := b.entries.End(t.Context(), b.to, past.ID, nil, nil)
	require.NoError(t, err)
	b.clock.advance(time.Second)

	q := knowledge.RecallQuery{Embedding: []float32{1, 0}, Scope: contactScope(x), Limit: 30, Hops: 1, NeighborBudget: 16, Types: []knowledge.EntryType{knowledge.EntryFact}}
	for _, q.Ranking = range []knowledge.Ranking{knowledge.RankingBest, knowledge.RankingRRF} {
		found := b.ask(t, q)
		require.Len(t, found.Hits, len(notes))
		require.Equal(t, knowledge.ModeGraph, found.Mode)
		for _, h := range found.Hits {
			e := h.Entry()
			require.Equal(t, e.ID == stale.ID, h.Stale, e.Title)
			require.Equal(t, e.ID == disputed.ID, h.Caveat, e.Title)
			require.Equal(t, e.ID == stale.ID || e.ID == disputed.ID, len(h.Via) == 1, e.Title)
		}
	}
	q.Expand = ptr(false)
	for _, h := range b.ask(t, q).Hits {
		require.False(t, h.Stale || h.Caveat || len(h.Via) > 0, "L8 the flat result has no marks")
	}
}

// brokenText fails where words are searched, hungText waits there until the caller has had
// enough.
type brokenText struct{ service.Searcher }

func (brokenText) SearchEntryTexts(context.Context, knowledge.EntrySelection, []knowledge.Term, knowledge.LexicalStats, int) ([]knowledge.EntryTextHit, error) {
	return nil, errors.New("a secret of the index")
}

type hungText struct{ service.Searcher }

func (hungText) SearchEntryTexts(ctx context.Context, _ knowledge.EntrySelection, _ []knowledge.Term, _ knowledge.LexicalStats, _ int) ([]knowledge.EntryTextHit, error) {
	<-ctx.Done()
	return nil, knowledge.Errorf(knowledge.CodeTimeout, "the database took too long").Because(ctx.Err())
}

// searching is the bundle's recall with another search.
func (b *entryBundle) searching(search service.Searcher) *service.Recall {
	return service.NewRecall(service.RecallConfig{
		Search: service.NewEntrySearch(search), Entries: b.store, Entities: b.entities, Expander: b.store, Expansions: nil, Embeddings: b.embeddings,
		Features: func(*knowledge.Workspace) []knowledge.Feature { return b.features }, Clock: b.clock.Now,
	})
}

func TestL4_Legs(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	b.entry(t, "fact", "the parrot sings", at(1, 0))
	b.entry(t, "decision", "the parrot stays", at(1, 0.1), func(d *knowledge.EntryDraft) { d.Type = knowledge.EntryDecision })
	q := knowledge.RecallQuery{Query: "parrot", Embedding: []float32{1, 0}, Scope: orgWide(), Expand: ptr(false)}

	types := q
	types.Types = []knowledge.EntryType{knowledge.EntryDecision}
	require.Equal(t, []string{"decision"}, titles(b.ask(t, types)), "L4 both legs keep to the types")

	wordless := q
	wordless.Query = ""
	for _, h := range b.ask(t, wordless).Hits {
		require.Nil(t, h.TextRank, "L4 without words there is no text leg")
	}

	b.recall = b.searching(brokenText{b.store})
	found := b.ask(t, q)
	require.Equal(t, []string{"fact", "decision"}, titles(found), "L4 text fails: vectors answer")
	require.Equal(t, []knowledge.Degraded{{Leg: knowledge.LegText, Reason: "internal error"}}, found.Degraded)
}

func TestL2_ADatabaseThatHangs(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	b.entry(t, "fact", "the parrot sings", at(1, 0))
	b.recall = b.searching(hungText{b.store})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := b.recall.Recall(ctx, b.ws, knowledge.RecallQuery{Query: "parrot", Scope: orgWide(), Limit: 5})
	require.ErrorIs(t, err, context.Canceled, "the caller's end is not an empty answer")
}

func TestL6_TheOrderOfFusion(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	silent := func(d *knowledge.EntryDraft) { d.Embedding = &[]float32{} }
	b.entry(t, "nearest", "nothing of the kind", at(1, 0))
	b.entry(t, "both", "the parrot sings", at(1, 0.5))
	b.entry(t, "words", "a parrot, among the many other animals of the plain", silent)
	gone := b.entry(t, "gone", "parrot parrot", at(1, 0.01))
	days := 1.0
	b.entry(t, "expired", "parrot", at(1, 0.02), func(d *knowledge.EntryDraft) { d.ExpiresInDays = &days })
	b.clock.advance(25 * time.Hour)
	_, err := b.entries.Delete(t.Context(), b.to, gone.ID)
	require.NoError(t, err)

	found := b.ask(t, knowledge.RecallQuery{Query: "parrot", Embedding: []float32{1, 0}, Scope: orgWide(), Ranking: knowledge.RankingRRF, Expand: ptr(false)})
	require.Equal(t, []string{"both", "nearest", "words"}, titles(found), "L6 not by similarity; what is gone or expired is dropped")
	require.Less(t, *found.Hits[0].Similarity, *found.Hits[1].Similarity)
	require.Nil(t, found.Hits[2].Similarity, "L6 found by words alone")
}

func TestL8_TheFirstOfTheFlatResult(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	for i := range 8 {
		b.entry(t, fmt.Sprint(i), fmt.Sprint("parrot ", i), at(1, float32(i)/10))
	}
	q := knowledge.RecallQuery{Embedding: []float32{1, 0}, Scope: orgWide(), Limit: 3, Expand: ptr(false)}
	found := b.ask(t, q)
	require.Equal(t, []string{"0", "1", "2"}, titles(found))
	require.Equal(t, knowledge.ModeFlat, found.Mode)
	q.Expand = ptr(true)
	require.Equal(t, []string{"0", "1", "2"}, titles(b.ask(t, q)), "L19 nothing to walk: the flat result")
}

// With more neighbours than lists, each list gives its share (SPEC L15): the visible hits
// of both legs and the neighbours by their scores.
func TestL15_ThreeLists(t *testing.T) {
	t.Parallel()
	w := newWorkedExample(t)
	found := w.ask(t, w.query)
	lists := map[string][]string{}
	for _, h := range found.Hits {
		for _, p := range h.Explanation {
			lists[h.Entry().Title] = append(lists[h.Entry().Title], p.Name)
		}
	}
	require.Len(t, lists["B"], 2, "both legs")
	for _, title := range []string{"A", "C", "D", "E", "F", "G"} {
		require.Len(t, lists[title], 1, title)
	}
	require.Equal(t, lists["E"], lists["G"])
	require.NotEqual(t, lists["A"], lists["E"])
	require.NotEqual(t, lists["D"], lists["E"])
}

// The hits of a workspace, their order and their scores are the same while another writes
// 10,000 entries about the same.
func TestT9_RankInvariance(t *testing.T) {
	t.Parallel()
	b, other := withEntries(t), withEntries(t)
	words := []string{"invoice", "dispute", "parrot", "contract", "lunch", "green", "plan", "late"}
	note := func(b *entryBundle, i int) knowledge.EntryDraft {
		return b.draft(fmt.Sprint("Note ", i), fmt.Sprintf("%s %s %s number %d", words[i%8], words[(i*3+1)%8], words[(i*5+2)%8], i), at(float32(i%7), float32(i%5)+1))
	}
	var drafts []knowledge.EntryDraft
	for i := range 120 {
		drafts = append(drafts, note(b, i))
	}
	_, err := b.entries.CreateMany(t.Context(), b.to, drafts, false)
	require.NoError(t, err)
	type hit struct {
		title string
		score float64
	}
	ask := func() (hits []hit) {
		for _, q := range []string{"the invoice dispute about a parrot", "late lunch", "plan of the green contract"} {
			for _, h := range b.ask(t, knowledge.RecallQuery{Query: q, Embedding: []float32{1, 1}, Scope: orgWide(), Limit: 20}).Hits {
				hits = append(hits, hit{h.Entry().Title, h.Score})
			}
		}
		return hits
	}
	before := ask()
	require.NotEmpty(t, before)
	const all, batch = 10_000, 1_000
	for from := 0; from < all; from += batch {
		drafts = drafts[:0]
		for i := range batch {
			drafts = append(drafts, note(other, from+i))
		}
		_, err := other.entries.CreateMany(t.Context(), other.to, drafts, false)
		require.NoError(t, err)
		require.Equal(t, before, ask())
	}
}
