package service_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// graph makes entities and edges from lines such as "A uses B 0.9", and gives the
// entities' ids by name.
func (b *bundle) graph(t *testing.T, lines ...string) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for _, line := range lines {
		var from, typ, to string
		confidence := 1.0
		_, _ = fmt.Sscan(line, &from, &typ, &to, &confidence) // the confidence may be missing
		for _, name := range []string{from, to} {
			if ids[name] == "" {
				ids[name] = b.entity(t, name)
			}
		}
		d := between(ids[from], typ, ids[to], nil, nil)
		d.Confidence = &confidence
		b.assert(t, d)
		b.clock.advance(time.Second)
	}
	return ids
}

func (b *bundle) neighborhood(t *testing.T, q service.NeighborQuery) (*knowledge.Neighborhood, string) {
	t.Helper()
	got, err := b.navigation.Neighbors(t.Context(), b.ws.ID, q)
	require.NoError(t, err)
	var parts []string
	for _, n := range got.Nodes {
		require.Len(t, n.Path, n.Hops)
		parts = append(parts, fmt.Sprint(n.Entity.Name, n.Hops))
	}
	return got, strings.Join(parts, " ")
}

func TestB19_Neighbors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.graph(t, "A uses B 0.5", "C owns A 0.9", "B uses D", "C uses D 0.4", "D uses E", "E uses F", "A uses G 0.5", "E uses A 0.1")
	q := service.NeighborQuery{Root: ids["A"], Hops: 1, First: 200}
	for hops, want := range map[int]string{1: "C1 B1 G1 E1", 2: "C1 B1 G1 E1 D2 F2", 3: "C1 B1 G1 E1 D2 F2"} {
		q.Hops = hops
		got, text := b.neighborhood(t, q)
		require.Equal(t, want, text, "B24 by distance, confidence, time")
		require.False(t, got.Truncated)
	}
	q.Hops, q.Direction = 3, knowledge.Outgoing
	got, text := b.neighborhood(t, q)
	require.Equal(t, "B1 G1 D2 E3", text)
	require.Equal(t, []string{"A uses B", "B uses D", "D uses E"}, []string{got.Nodes[3].Path[0].Fact, got.Nodes[3].Path[1].Fact, got.Nodes[3].Path[2].Fact})
	q.Direction = knowledge.Incoming
	_, text = b.neighborhood(t, q)
	require.Equal(t, "C1 E1 D2 B3", text)
	q.Direction, q.EdgeTypes = knowledge.Both, []string{"OWNS"}
	_, text = b.neighborhood(t, q)
	require.Equal(t, "C1", text)
	q.EdgeTypes = []string{"owns", "uses"}
	_, text = b.neighborhood(t, q)
	require.Equal(t, "C1 B1 G1 E1 D2 F2", text)
	q.EdgeTypes = []string{"never_said"}
	_, text = b.neighborhood(t, q)
	require.Empty(t, text)
	q.EdgeTypes, q.EntityTypes = nil, []string{"Person"}
	_, text = b.neighborhood(t, q)
	require.Empty(t, text)
	person, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "person", Name: "P"})
	require.NoError(t, err)
	b.assert(t, between(person.Entity.ID, "owns", ids["F"], nil, nil))
	_, text = b.neighborhood(t, q)
	require.Equal(t, "P3", text, "the walk goes through entities of other types")

	q = service.NeighborQuery{Root: ids["A"], Hops: 2, First: 3}
	got, text = b.neighborhood(t, q)
	require.Equal(t, "C1 B1 G1", text)
	require.True(t, got.Truncated, "B20 there are more")
	q.First = 4
	got, _ = b.neighborhood(t, q)
	require.True(t, got.Truncated, "there are more behind")
	q.Hops = 1
	got, _ = b.neighborhood(t, q)
	require.False(t, got.Truncated, "all that there are")

	_, text = b.neighborhood(t, service.NeighborQuery{Root: "ent_no", Hops: 1, First: 1})
	require.Empty(t, text, "B21")
	other := setup(t)
	none, err := other.navigation.Neighbors(t.Context(), other.ws.ID, service.NeighborQuery{Root: ids["A"], Hops: 1, First: 1})
	require.NoError(t, err)
	require.Empty(t, none.Nodes, "A1")
}

func TestB20_U_LimitsOfWalks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	refs := func(n int) []knowledge.EntityRef {
		out := make([]knowledge.EntityRef, n)
		for i := range out {
			out[i].ID = fmt.Sprint("ent_", i)
		}
		return out
	}
	var types []string
	for i := range 21 {
		types = append(types, fmt.Sprint("t", i))
	}
	neighbors := func(q service.NeighborQuery) error {
		_, err := b.navigation.Neighbors(t.Context(), b.ws.ID, q)
		return err
	}
	subgraph := func(q service.SubgraphQuery) error {
		_, err := b.navigation.Subgraph(t.Context(), b.ws.ID, q)
		return err
	}
	path := func(q service.PathQuery) error {
		_, err := b.navigation.ShortestPath(t.Context(), b.ws.ID, q)
		return err
	}
	edges := func(types []string, page knowledge.PageRequest) error {
		_, err := b.edges.OfEntities(t.Context(), b.ws.ID, []string{"ent_1"}, service.EdgeQuery{Types: types}, page)
		return err
	}
	for name, c := range map[string]struct {
		err   error
		code  knowledge.Code
		field string
	}{
		"4 hops":              {neighbors(service.NeighborQuery{Root: "x", Hops: 4, First: 1}), knowledge.CodeLimitExceeded, "hops"},
		"no hops":             {neighbors(service.NeighborQuery{Root: "x", First: 1}), knowledge.CodeInvalidInput, "hops"},
		"201 results":         {neighbors(service.NeighborQuery{Root: "x", Hops: 1, First: 201}), knowledge.CodeLimitExceeded, "first"},
		"no results":          {neighbors(service.NeighborQuery{Root: "x", Hops: 1}), knowledge.CodeInvalidInput, "first"},
		"21 types":            {neighbors(service.NeighborQuery{Root: "x", Hops: 1, First: 1, EdgeTypes: types}), knowledge.CodeLimitExceeded, "edgeTypes"},
		"another direction":   {neighbors(service.NeighborQuery{Root: "x", Hops: 1, First: 1, Direction: "up"}), knowledge.CodeInvalidInput, "direction"},
		"101 references":      {subgraph(service.SubgraphQuery{Refs: refs(101)}), knowledge.CodeLimitExceeded, "refs"},
		"4 hops of subgraph":  {subgraph(service.SubgraphQuery{Refs: refs(1), Hops: 4}), knowledge.CodeLimitExceeded, "hops"},
		"an empty reference":  {subgraph(service.SubgraphQuery{Refs: make([]knowledge.EntityRef, 1)}), knowledge.CodeInvalidInput, "refs.0"},
		"7 hops of path":      {path(service.PathQuery{MaxHops: 7}), knowledge.CodeLimitExceeded, "maxHops"},
		"unknown start":       {path(service.PathQuery{MaxHops: 6, From: refs(1)[0], To: refs(1)[0]}), knowledge.CodeNotFound, "from"},
		"page of 0":           {edges(nil, knowledge.PageRequest{}), knowledge.CodeInvalidInput, "first"},
		"page of 10,000":      {edges(nil, knowledge.PageRequest{First: 10_000}), knowledge.CodeInvalidInput, "first"},
		"21 types of edges":   {edges(types, knowledge.PageRequest{First: 1}), knowledge.CodeLimitExceeded, "types"},
		"cursor of elsewhere": {edges(nil, knowledge.PageRequest{First: 1, After: &knowledge.Cursor{Key: "1700000000", ID: "obs_1"}}), knowledge.CodeInvalidInput, "after"},
	} {
		var e *knowledge.Error
		require.ErrorAs(t, c.err, &e, name)
		require.Equal(t, c.code, e.Code, name)
		require.Equal(t, c.field, e.Field, name)
	}
	got, err := b.navigation.Subgraph(t.Context(), b.ws.ID, service.SubgraphQuery{Refs: append(refs(100), refs(100)...)})
	require.NoError(t, err, "B23 references are counted once each")
	require.Len(t, got.Missing, 100)
}

func TestB20_Hub(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hub := b.entity(t, "Hub")
	const leaves = 1_050
	var entities []knowledge.EntityDraft
	for i := range leaves {
		entities = append(entities, knowledge.EntityDraft{Type: "concept", Name: fmt.Sprint("leaf ", i)})
	}
	made, err := b.entities.UpsertMany(t.Context(), b.to, entities, true)
	require.NoError(t, err)
	var drafts []knowledge.EdgeDraft
	for i, m := range made {
		d := between(hub, "uses", m.Value.Entity.ID, nil, nil)
		d.Confidence = ptr(float64(i%10) / 10)
		drafts = append(drafts, d)
	}
	_, err = b.edges.AssertMany(t.Context(), b.to, drafts, true)
	require.NoError(t, err)
	got, _ := b.neighborhood(t, service.NeighborQuery{Root: hub, Hops: 3, First: 200})
	require.Len(t, got.Nodes, 200)
	require.True(t, got.Truncated)
	got, _ = b.neighborhood(t, service.NeighborQuery{Root: made[0].Value.Entity.ID, Hops: 1, First: 200})
	require.Len(t, got.Nodes, 1)
	require.False(t, got.Truncated)

	// Pages are complete and in order also where rows are inserted and deleted meanwhile.
	want := make([]string, 0, leaves)
	page := knowledge.PageRequest{First: 100}
	var seen []*knowledge.Edge
	for {
		pages, err := b.edges.OfEntities(t.Context(), b.ws.ID, []string{hub}, service.EdgeQuery{}, page)
		require.NoError(t, err)
		seen = append(seen, pages[hub].Items...)
		if !pages[hub].HasNextPage {
			break
		}
		page.After = &pages[hub].Cursors[99]
		if len(seen) == 100 {
			b.clock.advance(time.Second)
			b.assert(t, between(hub, "owns", made[0].Value.Entity.ID, nil, nil)) // before the position
			_, err := b.edges.Delete(t.Context(), b.to, seen[99].ID)             // the position itself
			require.NoError(t, err)
		}
	}
	require.Len(t, seen, leaves)
	for i, e := range seen {
		want = append(want, e.ID)
		if i > 0 {
			require.GreaterOrEqual(t, seen[i-1].Confidence, e.Confidence)
		}
	}
	require.Len(t, unique(want), leaves)

	sub, err := b.navigation.Subgraph(t.Context(), b.ws.ID, service.SubgraphQuery{Refs: []knowledge.EntityRef{{ID: hub}}, Hops: 1})
	require.NoError(t, err)
	require.Len(t, sub.Edges, knowledge.MaxSubgraphEdges)
	require.True(t, sub.Truncated)
}

func unique(ids []string) map[string]bool {
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = true
	}
	return out
}

func TestB23_Subgraph(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.graph(t, "A uses B 0.5", "B owns A 0.9", "B uses C", "C uses D", "D uses E")
	facts := func(q service.SubgraphQuery) (*knowledge.Subgraph, []string, []string) {
		got, err := b.navigation.Subgraph(t.Context(), b.ws.ID, q)
		require.NoError(t, err)
		names, facts := []string{}, []string{}
		for _, e := range got.Entities {
			names = append(names, e.Name)
		}
		for _, e := range got.Edges {
			facts = append(facts, e.Fact)
		}
		return got, names, facts
	}
	refs := []knowledge.EntityRef{{ID: ids["B"]}, {Name: "a"}, {ID: ids["B"]}, {Name: "nobody"}, {Name: "B"}}
	got, names, edges := facts(service.SubgraphQuery{Refs: refs})
	require.Equal(t, []string{"B", "A"}, names)
	require.Equal(t, []string{"B owns A", "A uses B"}, edges)
	require.Equal(t, []string{"nobody"}, got.Missing)
	require.False(t, got.Truncated)
	_, names, edges = facts(service.SubgraphQuery{Refs: refs, Hops: 1})
	require.Equal(t, []string{"B", "A", "C"}, names)
	require.Equal(t, []string{"B uses C", "B owns A", "A uses B"}, edges)
	_, names, edges = facts(service.SubgraphQuery{Refs: refs, Hops: 3, EdgeTypes: []string{"uses"}})
	require.Equal(t, []string{"B", "A", "C", "D", "E"}, names)
	require.Equal(t, []string{"B uses C", "C uses D", "D uses E", "A uses B"}, edges)
	got, names, edges = facts(service.SubgraphQuery{})
	require.Empty(t, names)
	require.Empty(t, edges)
	require.NotNil(t, got.Missing)
	_, names, _ = facts(service.SubgraphQuery{Refs: refs, Hops: 3, At: asOf(day(1, 1))})
	require.Equal(t, []string{"B", "A"}, names, "B22 nothing was connected then")

	same, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "person", Name: "A"})
	require.NoError(t, err)
	_, err = b.navigation.Subgraph(t.Context(), b.ws.ID, service.SubgraphQuery{Refs: refs})
	var e *knowledge.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, knowledge.CodeAmbiguous, e.Code)
	require.Equal(t, "refs.1", e.Field)
	require.Len(t, e.Candidates, 2)
	_, names, _ = facts(service.SubgraphQuery{Refs: []knowledge.EntityRef{{Name: "A", Type: "person"}}})
	require.Equal(t, []string{same.Entity.Name}, names)
}

func TestO15_ShortestPath(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var chain []string
	for i := range 7 {
		chain = append(chain, fmt.Sprintf("S%d next S%d", i, i+1))
	}
	ids := b.graph(t, append(chain, "A uses B 0.5", "B uses D 0.5", "A uses C 0.9", "C uses D 0.9", "A owns C 0.95", "A uses C2 0.9", "C2 uses D 0.95", "X uses Y")...)
	path := func(from, to string, q service.PathQuery) (string, error) {
		q.From, q.To = knowledge.EntityRef{ID: ids[from]}, knowledge.EntityRef{Name: to}
		if q.MaxHops == 0 {
			q.MaxHops = 6
		}
		got, err := b.navigation.ShortestPath(t.Context(), b.ws.ID, q)
		if err != nil {
			return "", err
		}
		require.Len(t, got.Entities, got.Hops()+1)
		var facts []string
		for _, e := range got.Edges {
			facts = append(facts, e.Fact)
		}
		return strings.Join(facts, ", "), nil
	}
	for _, c := range []struct {
		from, to string
		q        service.PathQuery
		want     string
	}{
		{"A", "D", service.PathQuery{}, "A owns C, C uses D"},
		{"D", "A", service.PathQuery{}, "A owns C, C uses D reversed"},
		{"A", "D", service.PathQuery{EdgeTypes: []string{"uses"}}, "A uses C2, C2 uses D"},
		{"A", "D", service.PathQuery{EdgeTypes: []string{"uses", "owns"}, Direction: knowledge.Outgoing}, "A owns C, C uses D"},
		{"D", "A", service.PathQuery{Direction: knowledge.Outgoing}, "none"},
		{"D", "A", service.PathQuery{Direction: knowledge.Incoming}, "A owns C, C uses D reversed"},
		{"A", "X", service.PathQuery{}, "none"},
		{"A", "D", service.PathQuery{MaxHops: 1}, "none"},
		{"S0", "S7", service.PathQuery{}, "none"},
		{"A", "D", service.PathQuery{At: asOf(day(1, 1))}, "none"},
	} {
		got, err := path(c.from, c.to, c.q)
		switch {
		case c.want == "none":
			require.True(t, knowledge.IsNotFound(err), "%v", c)
			var e *knowledge.Error
			require.ErrorAs(t, err, &e)
			require.Empty(t, e.Field)
		case strings.HasSuffix(c.want, " reversed"):
			require.NoError(t, err)
			require.Equal(t, "C uses D, A owns C", got, "each edge keeps its own direction")
		default:
			require.NoError(t, err)
			require.Equal(t, c.want, got, "the higher product of confidences")
		}
	}
	got, err := path("S0", "S6", service.PathQuery{})
	require.NoError(t, err)
	require.Len(t, strings.Split(got, ", "), 6)
	same, err := b.navigation.ShortestPath(t.Context(), b.ws.ID, service.PathQuery{From: knowledge.EntityRef{Name: "A"}, To: knowledge.EntityRef{ID: ids["A"]}, MaxHops: 6})
	require.NoError(t, err)
	require.Zero(t, same.Hops())
	require.Len(t, same.Entities, 1)
	_, err = b.navigation.ShortestPath(t.Context(), b.ws.ID, service.PathQuery{From: knowledge.EntityRef{Name: "A"}, To: knowledge.EntityRef{Name: "nobody"}, MaxHops: 6})
	var e *knowledge.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "to", e.Field)
	require.Equal(t, knowledge.CodeNotFound, e.Code)
}

// Ties of confidence are broken by the ids on the way.
func TestO15_Ties(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.graph(t, "A uses C", "C uses D", "A uses B", "B uses D", "A owns B")
	for _, direction := range []knowledge.Direction{knowledge.Both, knowledge.Outgoing} {
		got, err := b.navigation.ShortestPath(t.Context(), b.ws.ID, service.PathQuery{
			From: knowledge.EntityRef{ID: ids["A"]}, To: knowledge.EntityRef{ID: ids["D"]}, MaxHops: 6, Direction: direction,
		})
		require.NoError(t, err)
		want := min(ids["B"], ids["C"])
		require.Equal(t, want, got.Entities[1].ID)
	}
}

func TestB2_TypesWithoutARelationshipType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.graph(t, "A mentions B", "A code_calls C", "B supported_by C")
	odd := "auto_" + strings.ToLower(newID("x"))
	d := between(ids["A"], odd, ids["C"], nil, nil)
	for range 2 { // as automatic writers may not register a type, and the second finds the first
		_, err := b.edges.Assert(t.Context(), b.auto, d)
		require.NoError(t, err)
	}
	require.Len(t, b.seen(t, ids["A"], knowledge.TimePoint{}), 3)
	for _, typ := range []string{"mentions", "code_calls", odd} {
		require.Len(t, b.near(t, ids["A"], service.NeighborQuery{EdgeTypes: []string{typ}}), 1, typ)
	}
	require.Equal(t, []string{"B", "C"}, b.near(t, ids["A"], service.NeighborQuery{EdgeTypes: []string{"mentions", "Code Calls"}}))
	// Registered by a person later, the type has edges of both kinds.
	b.assert(t, between(ids["B"], odd, ids["C"], nil, nil))
	require.ElementsMatch(t, []string{"A", "B"}, b.near(t, ids["C"], service.NeighborQuery{EdgeTypes: []string{odd}}))
	path, err := b.navigation.ShortestPath(t.Context(), b.ws.ID, service.PathQuery{
		From: knowledge.EntityRef{Name: "A"}, To: knowledge.EntityRef{Name: "B"}, MaxHops: 6, EdgeTypes: []string{odd},
	})
	require.NoError(t, err)
	require.Equal(t, 2, path.Hops())
	_, err = b.edges.Invalidate(t.Context(), b.to, knowledge.EdgeEnd{From: &knowledge.EntityRef{Name: "A"}, To: &knowledge.EntityRef{Name: "B"}, Type: "mentions", ValidTo: ptr(b.clock.Now().Add(time.Hour))})
	require.NoError(t, err)
	types, err := b.types.EdgeTypes(t.Context(), b.ws.ID)
	require.NoError(t, err)
	var keys []string
	for _, typ := range types {
		keys = append(keys, typ.Key)
	}
	require.Subset(t, keys, []string{"mentions", "code_calls", odd}, "nobody who reads can tell")
}
