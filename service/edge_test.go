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

// entity makes an entity of a name and gives its id.
func (b *bundle) entity(t *testing.T, name string) string {
	t.Helper()
	up, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "concept", Name: name})
	require.NoError(t, err)
	return up.Entity.ID
}

func (b *bundle) two(t *testing.T) (from, to string) {
	t.Helper()
	return b.entity(t, "A"), b.entity(t, "B")
}

// second is a moment as the worked examples of the rules give it: seconds after the
// start of 2020.
func second(n int) *time.Time {
	t := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Second)
	return &t
}

func between(from, typ, to string, validFrom, validTo *time.Time) knowledge.EdgeDraft {
	return knowledge.EdgeDraft{From: knowledge.EntityRef{ID: from}, To: knowledge.EntityRef{ID: to}, Type: typ, ValidFrom: validFrom, ValidTo: validTo}
}

func (b *bundle) assert(t *testing.T, d knowledge.EdgeDraft) *knowledge.EdgeAssert {
	t.Helper()
	got, err := b.edges.Assert(t.Context(), b.to, d)
	require.NoError(t, err)
	return got
}

func (b *bundle) refused(t *testing.T, d knowledge.EdgeDraft) *knowledge.Error {
	t.Helper()
	_, err := b.edges.Assert(t.Context(), b.to, d)
	var e *knowledge.Error
	require.ErrorAs(t, err, &e)
	return e
}

// seen are the ids of an entity's edges at a moment.
func (b *bundle) seen(t *testing.T, id string, at knowledge.TimePoint) []string {
	t.Helper()
	pages, err := b.edges.OfEntities(t.Context(), b.ws.ID, []string{id}, service.EdgeQuery{At: at}, knowledge.PageRequest{First: 100})
	require.NoError(t, err)
	n, err := b.edges.CountOfEntities(t.Context(), b.ws.ID, []string{id}, service.EdgeQuery{At: at})
	require.NoError(t, err)
	page := pages[id]
	require.Len(t, page.Items, n[id])
	ids := []string{}
	for _, e := range page.Items {
		ids = append(ids, e.ID)
	}
	return ids
}

// near are the names of an entity's neighbours at a moment, nearest first.
func (b *bundle) near(t *testing.T, id string, q service.NeighborQuery) []string {
	t.Helper()
	q.Root = id
	if q.Hops == 0 {
		q.Hops = 1
	}
	if q.First == 0 {
		q.First = 200
	}
	got, err := b.navigation.Neighbors(t.Context(), b.ws.ID, q)
	require.NoError(t, err)
	names := []string{}
	for _, n := range got.Nodes {
		names = append(names, n.Entity.Name)
	}
	return names
}

func asOf(t *time.Time) knowledge.TimePoint { return knowledge.TimePoint{AsOf: t} }

var history = knowledge.TimePoint{IncludeHistory: true}

func TestB25_EndedAndRecreated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.two(t)
	first := b.assert(t, between(from, "depends_on", to, second(1000), nil))
	ended, err := b.edges.Invalidate(t.Context(), b.to, knowledge.EdgeEnd{ID: first.Edge.ID, ValidTo: second(2000)})
	require.NoError(t, err)
	require.Equal(t, second(2000), ended.ValidTo)
	next := b.assert(t, between(from, "depends_on", to, second(3000), nil))
	require.True(t, next.Created)
	for at, want := range map[int][]string{999: {}, 1000: {first.Edge.ID}, 1500: {first.Edge.ID}, 2000: {}, 2500: {}, 3000: {next.Edge.ID}, 3500: {next.Edge.ID}} {
		require.Equal(t, want, b.seen(t, from, asOf(second(at))), "as of %d", at)
		require.Len(t, b.near(t, from, service.NeighborQuery{At: asOf(second(at))}), len(want), "as of %d", at)
	}
	require.Equal(t, []string{next.Edge.ID}, b.seen(t, from, knowledge.TimePoint{}))
	require.ElementsMatch(t, []string{first.Edge.ID, next.Edge.ID}, b.seen(t, to, history))
	require.Equal(t, []string{"B"}, b.near(t, from, service.NeighborQuery{At: history}))
}

func TestB26_Overlaps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.two(t)
	open := b.assert(t, between(from, "uses", to, second(1000), nil))
	require.True(t, b.assert(t, between(from, "uses", to, second(500), second(1000))).Created)
	for _, wrong := range [][2]*time.Time{{second(500), second(1001)}, {second(1500), nil}} {
		e := b.refused(t, between(from, "uses", to, wrong[0], wrong[1]))
		require.Equal(t, knowledge.CodeOverlappingInterval, e.Code)
	}
	require.Contains(t, b.refused(t, between(from, "uses", to, second(1500), nil)).Message, open.Edge.ID)
	require.True(t, b.assert(t, between(to, "uses", from, second(1000), nil)).Created, "B14 the opposite direction")
	require.True(t, b.assert(t, between(from, "owns", to, second(1000), nil)).Created, "B14 another type")
	require.Equal(t, open.Edge.ID, b.assert(t, between(from, "uses", to, second(1000), nil)).Edge.ID, "B12 the same interval")
}

func TestB3_WhatAnEdgeHas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.two(t)
	got := b.assert(t, knowledge.EdgeDraft{
		From: knowledge.EntityRef{Name: "a"}, To: knowledge.EntityRef{Name: "b", Type: "Concept"}, Type: "Works  With!", Confidence: ptr(0.5),
		Properties: map[string]any{"since": "spring"}, DocID: "d1", TaskID: "t1",
	})
	stored, err := b.edges.ByIDs(t.Context(), b.ws.ID, []string{got.Edge.ID})
	require.NoError(t, err)
	now := b.clock.Now()
	want := &knowledge.Edge{
		ID: got.Edge.ID, WorkspaceID: b.ws.ID, FromID: from, ToID: to, Type: "works_with", Fact: "A works with B", Properties: map[string]any{"since": "spring"},
		Confidence: 0.5, Weight: 1, Source: knowledge.ActorManual, ValidFrom: &now, CreatedAt: now,
	}
	require.Equal(t, want, got.Edge)
	require.Equal(t, want, stored[got.Edge.ID])
	pages, err := b.edges.OfEntities(t.Context(), b.ws.ID, []string{from}, service.EdgeQuery{}, knowledge.PageRequest{First: 1})
	require.NoError(t, err)
	require.Equal(t, []*knowledge.Edge{want}, pages[from].Items, "relationship and Fact hold the same")
	supports, err := b.edges.Supports(t.Context(), b.ws.ID, []string{got.Edge.ID})
	require.NoError(t, err)
	require.Len(t, supports[got.Edge.ID], 2)
}

func TestB10_OrderOfChecks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.two(t)
	b.assert(t, between(from, "uses", to, second(1000), nil))
	other := setup(t).entity(t, "A")
	cases := []struct {
		name  string
		draft knowledge.EdgeDraft
		code  knowledge.Code
		field string
	}{
		{"B7 source first", between("ent_no", "uses", "ent_nor", second(2), second(1)), knowledge.CodeNotFound, "from"},
		{"B7 target", between(from, "uses", "ent_no", second(2), second(1)), knowledge.CodeNotFound, "to"},
		{"A1 source of another workspace", between(other, "uses", to, nil, nil), knowledge.CodeNotFound, "from"},
		{"A1 target of another workspace", between(from, "uses", other, nil, nil), knowledge.CodeNotFound, "to"},
		{"B8 self-loop", between(from, "uses", from, second(2), second(1)), knowledge.CodeInvalidInput, "to"},
		{"B9 equal", between(from, "uses", to, second(1500), second(1500)), knowledge.CodeInvalidInput, "validTo"},
		{"B9 reversed", between(from, "uses", to, second(1500), second(1400)), knowledge.CodeInvalidInput, "validTo"},
		{"B9 an end in the past and no start", between(from, "uses", to, nil, second(1400)), knowledge.CodeInvalidInput, "validTo"},
		{"A14 confidence", knowledge.EdgeDraft{From: knowledge.EntityRef{ID: from}, To: knowledge.EntityRef{ID: to}, Confidence: ptr(7.0)}, knowledge.CodeInvalidInput, "confidence"},
		{"no source", knowledge.EdgeDraft{To: knowledge.EntityRef{ID: to}}, knowledge.CodeInvalidInput, "from"},
		{"A29 fact", knowledge.EdgeDraft{From: knowledge.EntityRef{ID: from}, To: knowledge.EntityRef{ID: to}, Fact: string(make([]byte, 3))}, knowledge.CodeInvalidInput, "fact"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := b.refused(t, c.draft)
			require.Equal(t, c.code, e.Code, e)
			require.Equal(t, c.field, e.Field, e)
		})
	}
	require.Len(t, b.seen(t, from, history), 1, "nothing was written")
}

func TestB11_AssertedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.two(t)
	first := b.assert(t, between(from, "uses", to, nil, nil))
	b.clock.advance(time.Minute)
	again := between(from, "USES", to, nil, nil)
	again.Confidence, again.DocID, again.Properties = ptr(0.1), "d1", map[string]any{"x": 1}
	got := b.assert(t, again)
	require.False(t, got.Created)
	require.Equal(t, first.Edge, got.Edge)
	supports, err := b.edges.Supports(t.Context(), b.ws.ID, []string{got.Edge.ID})
	require.NoError(t, err)
	require.Len(t, supports[got.Edge.ID], 2, "T5 the document supports it too")
	require.Nil(t, supports[got.Edge.ID][0].DocID)
	require.Equal(t, "d1", *supports[got.Edge.ID][1].DocID)
}

func TestO6_Revived(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.two(t)
	first := b.assert(t, between(from, "uses", to, nil, nil))
	b.clock.advance(time.Minute)
	_, err := b.edges.Invalidate(t.Context(), b.to, knowledge.EdgeEnd{From: &knowledge.EntityRef{ID: from}, To: &knowledge.EntityRef{Name: "B"}, Type: "Uses"})
	require.NoError(t, err)
	require.Empty(t, b.seen(t, from, knowledge.TimePoint{}))
	b.clock.advance(time.Minute)
	next := b.assert(t, between(from, "uses", to, nil, nil))
	require.True(t, next.Created)
	require.Equal(t, b.clock.Now(), *next.Edge.ValidFrom)
	require.Equal(t, []string{next.Edge.ID}, b.seen(t, from, knowledge.TimePoint{}))
	require.Len(t, b.seen(t, from, history), 2)
	require.NotEqual(t, first.Edge.ID, next.Edge.ID)
}

func TestB16_Invalidate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.two(t)
	edge := b.assert(t, between(from, "uses", to, second(1000), nil)).Edge
	end := func(at *time.Time) (*knowledge.Edge, error) {
		return b.edges.Invalidate(t.Context(), b.to, knowledge.EdgeEnd{ID: edge.ID, ValidTo: at})
	}
	_, err := end(second(1000))
	require.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err), "at its start")
	future := b.clock.Now().Add(time.Hour)
	got, err := end(&future)
	require.NoError(t, err)
	require.Equal(t, future, *got.ValidTo)
	require.True(t, got.Current(b.clock.Now()), "T2 an end in the future leaves it current")
	require.Equal(t, edge.ID, b.assert(t, between(from, "uses", to, nil, nil)).Edge.ID, "B11")
	later := future.Add(time.Hour)
	_, err = end(&later)
	require.Equal(t, knowledge.CodeConflict, knowledge.CodeOf(err), "not to a later time")
	earlier := future.Add(-time.Minute)
	got, err = end(&earlier)
	require.NoError(t, err, "to an earlier time")
	require.Equal(t, earlier, *got.ValidTo)
	b.clock.advance(2 * time.Hour)
	got, err = end(&earlier)
	require.NoError(t, err, "at the same time again")
	require.Equal(t, earlier, *got.ValidTo)
	_, err = end(nil)
	require.Equal(t, knowledge.CodeConflict, knowledge.CodeOf(err))
	require.ErrorContains(t, err, earlier.Format(time.RFC3339))
	_, err = b.edges.Invalidate(t.Context(), b.to, knowledge.EdgeEnd{ID: "edg_no"})
	require.True(t, knowledge.IsNotFound(err))
	_, err = b.edges.Invalidate(t.Context(), setup(t).to, knowledge.EdgeEnd{ID: edge.ID})
	require.True(t, knowledge.IsNotFound(err), "A1")
	next := b.assert(t, between(from, "uses", to, &earlier, nil))
	require.True(t, next.Created, "B17 from its end on")
}

func TestB18_Delete(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.two(t)
	edge := b.assert(t, between(from, "uses", to, nil, nil)).Edge
	b.assert(t, between(from, "owns", to, nil, nil))
	got, err := b.edges.Delete(t.Context(), setup(t).to, edge.ID)
	require.NoError(t, err)
	require.False(t, got.Deleted, "A1")
	got, err = b.edges.Delete(t.Context(), b.to, edge.ID)
	require.NoError(t, err)
	require.True(t, got.Deleted)
	require.Len(t, b.seen(t, from, history), 1)
	got, err = b.edges.Delete(t.Context(), b.to, edge.ID)
	require.NoError(t, err)
	require.False(t, got.Deleted)
}

func TestB15_SixteenWriters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.clock.step = time.Microsecond // writers that wait for each other have different moments
	from, to := b.two(t)
	var wg sync.WaitGroup
	results := make([]*knowledge.EdgeAssert, 16)
	for i := range results {
		wg.Go(func() {
			d := between(from, "uses", to, nil, nil)
			d.DocID = fmt.Sprint("d", i)
			got, err := b.edges.Assert(t.Context(), b.to, d)
			if err != nil {
				t.Error(err)
				return
			}
			results[i] = got
		})
	}
	wg.Wait()
	created := 0
	for _, r := range results {
		require.Equal(t, results[0].Edge.ID, r.Edge.ID)
		if r.Created {
			created++
		}
	}
	require.Equal(t, 1, created)
	require.Len(t, b.seen(t, from, history), 1)
	supports, err := b.edges.Supports(t.Context(), b.ws.ID, []string{results[0].Edge.ID})
	require.NoError(t, err)
	require.Len(t, supports[results[0].Edge.ID], 16, "no support was lost")
}
