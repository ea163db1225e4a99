package service_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// day is a day of 2024 at midnight, as month and day.
func day(month, day int) *time.Time {
	t := time.Date(2024, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return &t
}

func (b *bundle) declare(t *testing.T, typ knowledge.EdgeType) {
	t.Helper()
	_, err := b.types.CreateEdgeType(t.Context(), b.to, typ)
	require.NoError(t, err)
}

func (b *bundle) edge(t *testing.T, id string) *knowledge.Edge {
	t.Helper()
	found, err := b.edges.ByIDs(t.Context(), b.ws.ID, []string{id})
	require.NoError(t, err)
	return found[id]
}

func TestT3_ThreeIntervals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rosa, payments, search := b.entity(t, "Rosa"), b.entity(t, "Payments"), b.entity(t, "Search")
	// Told out of order: what was last is told first.
	b.assert(t, between(rosa, "works_on", payments, day(7, 1), nil))
	b.assert(t, between(rosa, "works_on", payments, day(1, 1), day(4, 1)))
	b.assert(t, between(rosa, "works_on", search, day(4, 1), day(7, 1)))
	for _, c := range []struct {
		at   *time.Time
		want []string
	}{{day(2, 10), []string{"Payments"}}, {day(5, 10), []string{"Search"}}, {day(8, 10), []string{"Payments"}}, {day(4, 1), []string{"Search"}}, {day(7, 1), []string{"Payments"}}} {
		require.Equal(t, c.want, b.near(t, rosa, service.NeighborQuery{At: asOf(c.at)}), c.at)
	}
	before := day(1, 1).Add(-time.Microsecond)
	require.Empty(t, b.near(t, rosa, service.NeighborQuery{At: asOf(&before)}))
	require.Len(t, b.seen(t, rosa, history), 3)
	require.Equal(t, []string{"Payments"}, b.near(t, rosa, service.NeighborQuery{}), "B22 now by default")
	require.ElementsMatch(t, []string{"Payments", "Search"}, b.near(t, rosa, service.NeighborQuery{At: history}))
}

func TestT2_FutureEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.two(t)
	end := b.clock.Now().Add(24 * time.Hour)
	e := b.assert(t, between(from, "uses", to, nil, &end)).Edge
	require.True(t, e.Current(b.clock.Now()))
	require.Equal(t, []string{e.ID}, b.seen(t, from, knowledge.TimePoint{}))
	require.Empty(t, b.seen(t, from, asOf(&end)))
	// B15 another current one would overlap it; from its end on there may be one.
	require.Equal(t, knowledge.CodeOverlappingInterval, b.refused(t, between(from, "uses", to, day(1, 1), nil)).Code)
	next := b.assert(t, between(from, "uses", to, &end, nil)).Edge
	require.Equal(t, []string{next.ID}, b.seen(t, from, asOf(&end)))
	require.Equal(t, e.ID, b.assert(t, between(from, "uses", to, nil, nil)).Edge.ID, "B11 the one that holds now")
	b.clock.advance(25 * time.Hour)
	require.Equal(t, []string{next.ID}, b.seen(t, from, knowledge.TimePoint{}))
	require.Nil(t, b.edge(t, e.ID).InvalidatedAt, "its end was told with it")
}

func TestT1_KnownAndAsOf(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.two(t)
	start := b.clock.Now()
	told := func(hours int) *time.Time { at := start.Add(time.Duration(hours) * time.Hour); return &at }
	// At hour 0 it is told to hold since January until hour 100, at hour 10 that it ends at hour 50, at hour 20 that it ended in June.
	e := b.assert(t, between(from, "uses", to, day(1, 1), told(100))).Edge
	for _, end := range []struct{ hours, at int }{{10, 50}, {20, 0}} {
		b.clock.advance(told(end.hours).Sub(b.clock.Now()))
		at := told(end.at)
		if end.at == 0 {
			at = day(6, 1)
		}
		_, err := b.edges.Invalidate(t.Context(), b.to, knowledge.EdgeEnd{ID: e.ID, ValidTo: at})
		require.NoError(t, err)
	}
	sees := func(asOf, known *time.Time) bool {
		at := knowledge.TimePoint{AsOf: asOf, KnownAt: known}
		ids := b.seen(t, to, at)
		require.Len(t, b.near(t, to, service.NeighborQuery{At: at}), len(ids), "lists and walks agree")
		return len(ids) == 1
	}
	before := start.Add(-time.Hour)
	require.False(t, sees(day(3, 1), &before), "not told yet")
	require.True(t, sees(day(3, 1), told(0)))
	require.True(t, sees(told(70), told(5)), "the end at hour 100 is believed")
	require.False(t, sees(told(70), told(10)), "the end at hour 50 is believed")
	require.True(t, sees(told(40), told(19)))
	require.False(t, sees(told(40), told(20)))
	require.False(t, sees(day(6, 1), nil))
	require.True(t, sees(day(5, 31), nil))

	page, err := b.edges.OfEntities(t.Context(), b.ws.ID, []string{from}, service.EdgeQuery{At: knowledge.TimePoint{AsOf: told(40), KnownAt: told(12)}}, knowledge.PageRequest{First: 9})
	require.NoError(t, err)
	require.Equal(t, told(50), page[from].Items[0].ValidTo, "an edge is shown with the end that was known")
	require.Equal(t, told(10), page[from].Items[0].InvalidatedAt)
	page, err = b.edges.OfEntities(t.Context(), b.ws.ID, []string{from}, service.EdgeQuery{At: knowledge.TimePoint{KnownAt: &before, IncludeHistory: true}}, knowledge.PageRequest{First: 9})
	require.NoError(t, err)
	require.Empty(t, page[from].Items, "history too has only what was told")
}

func TestT4_Supersession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.declare(t, knowledge.EdgeType{Key: "Lives In", SingleValued: true})
	rosa, oslo, bergen, rome := b.entity(t, "Rosa"), b.entity(t, "Oslo"), b.entity(t, "Bergen"), b.entity(t, "Rome")
	first := b.assert(t, between(rosa, "lives_in", oslo, day(1, 1), nil))
	require.Empty(t, first.Superseded)
	b.clock.advance(time.Hour)
	second := b.assert(t, between(rosa, "lives_in", bergen, nil, nil))
	require.Len(t, second.Superseded, 1)
	require.Equal(t, first.Edge.ID, second.Superseded[0].ID)
	require.Equal(t, b.clock.Now(), *second.Superseded[0].ValidTo, "without dates: at its observation time")
	require.Equal(t, b.clock.Now(), *b.edge(t, first.Edge.ID).InvalidatedAt)
	require.Equal(t, []string{"Bergen"}, b.near(t, rosa, service.NeighborQuery{}))
	require.Equal(t, []string{"Oslo"}, b.near(t, rosa, service.NeighborQuery{At: asOf(day(2, 1))}))

	b.clock.advance(time.Hour)
	back := b.assert(t, between(rosa, "lives_in", rome, day(3, 1), nil)) // told late: between the two
	require.Equal(t, b.edge(t, second.Edge.ID).ValidFrom, back.Edge.ValidTo, "back-dated: it ends where the current one starts")
	require.Len(t, back.Superseded, 1, "Oslo's end was only where Bergen starts")
	require.Equal(t, []string{"Rome"}, b.near(t, rosa, service.NeighborQuery{At: asOf(day(3, 1))}))
	require.Equal(t, []string{"Oslo"}, b.near(t, rosa, service.NeighborQuery{At: asOf(day(2, 28))}))
	require.Equal(t, []string{"Bergen"}, b.near(t, rosa, service.NeighborQuery{}))
	again := b.assert(t, between(rosa, "lives_in", rome, day(3, 1), nil))
	require.False(t, again.Created, "B12 said again")
	require.Equal(t, back.Edge.ID, again.Edge.ID)

	s, tt := b.entity(t, "model-s"), b.entity(t, "model-t")
	b.assert(t, between(rosa, "tested_with", s, nil, nil))
	require.Empty(t, b.assert(t, between(rosa, "tested_with", tt, nil, nil)).Superseded)
	require.ElementsMatch(t, []string{"model-s", "model-t"}, b.near(t, rosa, service.NeighborQuery{EdgeTypes: []string{"tested with"}}), "many-valued: both hold")
}

func TestT4_SupersessionInABatch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.declare(t, knowledge.EdgeType{Key: "lives_in", SingleValued: true})
	rosa, oslo, bergen, rome := b.entity(t, "Rosa"), b.entity(t, "Oslo"), b.entity(t, "Bergen"), b.entity(t, "Rome")
	out, err := b.edges.AssertMany(t.Context(), b.to, []knowledge.EdgeDraft{
		between(rosa, "lives_in", oslo, day(1, 1), nil), between(rosa, "lives_in", bergen, day(3, 1), nil),
		between(rosa, "lives_in", rome, day(2, 1), nil), between(rosa, "lives_in", oslo, day(1, 1), nil),
	}, true)
	require.NoError(t, err)
	require.False(t, out[3].Value.Created)
	require.Equal(t, out[0].Value.Edge.ID, out[3].Value.Edge.ID)
	for at, want := range map[*time.Time]string{day(1, 15): "Oslo", day(2, 15): "Rome", day(3, 15): "Bergen"} {
		require.Equal(t, []string{want}, b.near(t, rosa, service.NeighborQuery{At: asOf(at)}))
	}
}

func TestT4_Symmetric(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.declare(t, knowledge.EdgeType{Key: "married_to", Symmetric: true})
	ann, bob, carl := b.entity(t, "Ann"), b.entity(t, "Bob"), b.entity(t, "Carl")
	first := b.assert(t, between(ann, "married_to", bob, day(1, 1), day(3, 1)))
	again := b.assert(t, between(bob, "married_to", ann, day(1, 1), day(3, 1)))
	require.False(t, again.Created)
	require.Equal(t, first.Edge.ID, again.Edge.ID)
	require.Equal(t, knowledge.CodeOverlappingInterval, b.refused(t, between(bob, "married_to", ann, day(2, 1), nil)).Code)
	open := b.assert(t, between(bob, "married_to", ann, day(4, 1), nil))
	require.False(t, b.assert(t, between(ann, "married_to", bob, nil, nil)).Created, "B11 from the other end")
	b.assert(t, between(ann, "knows", carl, nil, nil))
	for _, direction := range []knowledge.Direction{knowledge.Outgoing, knowledge.Incoming, knowledge.Both} {
		require.Contains(t, b.near(t, ann, service.NeighborQuery{Direction: direction}), "Bob", direction)
		require.Equal(t, []string{"Ann"}, b.near(t, bob, service.NeighborQuery{Direction: direction, EdgeTypes: []string{"married_to"}}), direction)
		require.Equal(t, direction != knowledge.Incoming, len(b.near(t, ann, service.NeighborQuery{Direction: direction})) == 2, direction)
		path, err := b.navigation.ShortestPath(t.Context(), b.ws.ID, service.PathQuery{From: knowledge.EntityRef{ID: ann}, To: knowledge.EntityRef{ID: bob}, MaxHops: 6, Direction: direction})
		require.NoError(t, err)
		require.Equal(t, open.Edge.ID, path.Edges[0].ID)
	}
	path, err := b.navigation.ShortestPath(t.Context(), b.ws.ID, service.PathQuery{From: knowledge.EntityRef{ID: bob}, To: knowledge.EntityRef{ID: carl}, MaxHops: 6, Direction: knowledge.Outgoing})
	require.NoError(t, err)
	require.Equal(t, 2, path.Hops(), "one edge both ways, the next along its arrow")
	_, err = b.navigation.ShortestPath(t.Context(), b.ws.ID, service.PathQuery{From: knowledge.EntityRef{ID: carl}, To: knowledge.EntityRef{ID: bob}, MaxHops: 6, Direction: knowledge.Outgoing})
	require.True(t, knowledge.IsNotFound(err))
	ended, err := b.edges.Invalidate(t.Context(), b.to, knowledge.EdgeEnd{From: &knowledge.EntityRef{ID: ann}, To: &knowledge.EntityRef{ID: bob}, Type: "married to"})
	require.NoError(t, err)
	require.Equal(t, open.Edge.ID, ended.ID, "either end names it")
}

func TestT4_SymmetricWriters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.declare(t, knowledge.EdgeType{Key: "married_to", Symmetric: true, SingleValued: true})
	ids := []string{b.entity(t, "Ann"), b.entity(t, "Bob"), b.entity(t, "Carl"), b.entity(t, "Dora")}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if _, err := b.edges.Assert(t.Context(), b.to, between(ids[i%4], "married_to", ids[(i+1+i/4)%4], nil, nil)); err != nil && knowledge.CodeOf(err) != knowledge.CodeInvalidInput {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		require.LessOrEqual(t, len(b.seen(t, id, knowledge.TimePoint{})), 1, "one at a time")
	}
}

func TestT5_TwoDocuments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.two(t)
	told := func(doc, typ string) *knowledge.EdgeAssert {
		d := between(from, typ, to, nil, nil)
		d.DocID = doc
		return b.assert(t, d)
	}
	both := told("d1", "uses").Edge
	require.False(t, told("d2", "uses").Created)
	require.False(t, told("d2", "uses").Created)
	one := told("d1", "owns").Edge
	word := told("d1", "extends").Edge
	b.assert(t, between(from, "extends", to, nil, nil)) // and somebody's own word
	past := between(from, "blocked_by", to, day(1, 1), day(2, 1))
	past.DocID = "d1"
	ended := b.assert(t, past).Edge
	future := b.clock.Now().Add(time.Hour)
	coming := between(from, "replaced_by", to, &future, nil)
	coming.DocID = "d1"
	notYet := b.assert(t, coming).Edge
	b.clock.advance(time.Minute)

	gone, err := b.edges.InvalidateDocument(t.Context(), setup(t).to, "d1", nil)
	require.NoError(t, err)
	require.Empty(t, gone, "A1 the same id in another workspace is another document")
	gone, err = b.edges.InvalidateDocument(t.Context(), b.to, "d1", nil)
	require.NoError(t, err)
	ids := []string{}
	for _, e := range gone {
		ids = append(ids, e.ID)
	}
	require.ElementsMatch(t, []string{one.ID, notYet.ID}, ids)
	require.ElementsMatch(t, []string{both.ID, word.ID}, b.seen(t, from, knowledge.TimePoint{}))
	got := b.edge(t, one.ID)
	require.Zero(t, got.Weight, "O7")
	require.Equal(t, b.clock.Now(), *got.ValidTo)
	require.Equal(t, future, *b.edge(t, notYet.ID).ValidTo, "what has not begun ends where it begins")
	require.InDelta(t, 1, b.edge(t, ended.ID).Weight, 0, "what had ended stays as it was")
	supports, err := b.edges.Supports(t.Context(), b.ws.ID, []string{both.ID, one.ID, word.ID})
	require.NoError(t, err)
	require.Len(t, supports[both.ID], 1)
	require.Equal(t, "d2", *supports[both.ID][0].DocID)
	require.Empty(t, supports[one.ID])
	require.Nil(t, supports[word.ID][0].DocID)
	gone, err = b.edges.InvalidateDocument(t.Context(), b.to, "d2", day(1, 1))
	require.NoError(t, err)
	require.Len(t, gone, 1)
	require.Equal(t, both.ValidFrom, gone[0].ValidTo, "a time before it began ends it where it begins")
	require.Equal(t, []string{word.ID}, b.seen(t, from, knowledge.TimePoint{}))
	gone, err = b.edges.InvalidateDocument(t.Context(), b.to, "d2", nil)
	require.NoError(t, err)
	require.Empty(t, gone, "again")
}

func TestT5_ObservationsOfADocument(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.entity(t, "A")
	for _, text := range []string{"from one", "from both"} {
		d := note(id, text)
		d.DocID = "d1"
		b.observe(t, d)
	}
	both := note(id, "From both")
	both.DocID = "d2"
	require.False(t, b.observe(t, both).Created)
	b.observe(t, note(id, "from one too, by word"))
	_, err := b.edges.InvalidateDocument(t.Context(), b.to, "d1", nil)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"from both", "from one too, by word"}, b.observed(t, id))
}

func TestB15_InvalidateAndCreateAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.two(t)
	for range 4 {
		var wg sync.WaitGroup
		for i := range 16 {
			b.clock.advance(time.Second)
			wg.Go(func() {
				if i%2 == 0 {
					if _, err := b.edges.Assert(t.Context(), b.to, between(from, "uses", to, nil, nil)); err != nil && knowledge.CodeOf(err) != knowledge.CodeOverlappingInterval {
						t.Error(err)
					}
					return
				}
				end := knowledge.EdgeEnd{From: &knowledge.EntityRef{ID: from}, To: &knowledge.EntityRef{ID: to}, Type: "uses"}
				_, err := b.edges.Invalidate(t.Context(), b.to, end)
				if code := knowledge.CodeOf(err); err != nil && code != knowledge.CodeNotFound && code != knowledge.CodeInvalidInput {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	page, err := b.edges.OfEntities(t.Context(), b.ws.ID, []string{from}, service.EdgeQuery{At: history}, knowledge.PageRequest{First: 100})
	require.NoError(t, err)
	edges := page[from].Items
	for i, e := range edges {
		for _, o := range edges[:i] {
			require.False(t, e.Interval().Overlaps(o.Interval()), "%v %v", e, o)
		}
		stored := b.edge(t, e.ID)
		require.Equal(t, stored, e, "relationship and Fact say the same")
	}
}

func TestB15_WritersOfManyPairs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ids []string
	for i := range 6 {
		ids = append(ids, b.entity(t, fmt.Sprint("E", i)))
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() { // every batch has all pairs, each in another order: none may wait for another for ever
			var drafts []knowledge.EdgeDraft
			for n := range 36 {
				k := (n*7 + i*5) % 36
				if k/6 != k%6 {
					drafts = append(drafts, between(ids[k/6], "uses", ids[k%6], nil, nil))
				}
			}
			out, err := b.edges.AssertMany(t.Context(), b.to, drafts, true)
			if err != nil {
				t.Error(err)
				return
			}
			for _, o := range out {
				if o.Err != nil {
					t.Error(o.Err)
				}
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		require.Len(t, b.seen(t, id, history), 10)
	}
}

func TestT5_EntriesOfADocument(t *testing.T) {
	t.Parallel()
	b := setup(t)
	save := func(title, doc string, from *time.Time) string {
		got, err := b.all.Entries.Create(t.Context(), b.to, knowledge.EntryDraft{
			Type: knowledge.EntryFact, Title: title, Content: title, Source: knowledge.SourceManual, Confidence: 0.8, DocID: doc, ValidFrom: from,
		})
		require.NoError(t, err)
		return got.Entry.ID
	}
	future := b.clock.Now().Add(time.Hour)
	one, both, coming := save("one", "d1", nil), save("both", "d1", nil), save("coming", "d1", &future)
	require.Equal(t, both, save("both", "d2", nil))
	b.clock.advance(time.Minute)
	_, err := b.edges.InvalidateDocument(t.Context(), b.to, "d1", nil)
	require.NoError(t, err)
	found, err := b.all.Entries.ByIDs(t.Context(), b.ws.ID, []string{one, both, coming})
	require.NoError(t, err)
	require.Equal(t, b.clock.Now(), *found[one].ValidTo)
	require.Equal(t, b.clock.Now(), *found[one].InvalidatedAt)
	require.Nil(t, found[both].ValidTo)
	require.Equal(t, future, *found[coming].ValidTo, "what has not begun ends where it begins")
}
