package service_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"mneme/knowledge"
	"mneme/service"
)

// propertyChecks is how many sequences a property is tried with on the database:
// MNEME_PROPERTY_CHECKS where it is set.
func propertyChecks(t *testing.T, fallback int) int {
	t.Helper()
	text := os.Getenv("MNEME_PROPERTY_CHECKS")
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// played is one random sequence: on the database and in the model.
type played struct {
	t     *rapid.T
	b     *bundle
	ctx   context.Context
	model model
	ids   []string // of the entities
	step  int
	log   []string
}

// firstStep is the hour of the first write; claims are about hours 0 to 70.
const firstStep = 40

// Whatever is asserted, ended and deleted in whatever order, every read gives what the
// model gives: now, as of a moment, as known at a moment, all history, lists, counts,
// neighbours and paths.
func TestB4_B11_B13_B16_B19_B22_B24_O15_T1_T4_AnySequence(t *testing.T) {
	t.Parallel()
	checks := propertyChecks(t, 200)
	const workers = 2
	for w := range workers {
		t.Run(fmt.Sprint("worker ", w), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			types := map[string]knowledge.EdgeType{
				"plain": {Key: "plain"}, "mentions": {Key: "mentions"}, "single": {Key: "single", SingleValued: true},
				"sym": {Key: "sym", Symmetric: true}, "one": {Key: "one", SingleValued: true, Symmetric: true},
			}
			for _, typ := range types {
				b.declare(t, typ)
			}
			ctx := t.Context()
			for range max(1, checks/workers/100) { // rapid plays a hundred by itself
				rapid.Check(t, func(t *rapid.T) { (&played{t: t, b: b, ctx: ctx, model: model{types: types}}).play() })
			}
		})
	}
}

func hourOf(n int) time.Time {
	return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(n-firstStep) * time.Hour)
}

func (p *played) play() {
	p.b.clock.mu.Lock()
	p.b.clock.now = hourOf(firstStep)
	p.b.clock.mu.Unlock()
	for i := range 4 {
		up, err := p.b.entities.Upsert(p.ctx, p.b.to, knowledge.EntityDraft{Type: "concept", Name: fmt.Sprintf("E%d %s", i, newID("x"))})
		p.noError(err)
		p.ids = append(p.ids, up.Entity.ID)
	}
	for range rapid.IntRange(1, 12).Draw(p.t, "steps") {
		p.step++
		p.b.clock.advance(time.Hour)
		switch what := rapid.IntRange(0, 9).Draw(p.t, "what"); {
		case what < 6 || len(p.model.edges) == 0:
			p.assert()
		case what < 8:
			p.invalidate()
		case what < 9:
			p.delete()
		default:
			p.deleteEntity()
		}
	}
	for range 3 {
		p.ask()
	}
}

func (p *played) now() int { return firstStep + p.step }

func (p *played) noError(err error) {
	if err != nil {
		p.t.Fatalf("%v\n%s", err, strings.Join(p.log, "\n"))
	}
}

func (p *played) equal(want, got any, what string) {
	if fmt.Sprint(want) != fmt.Sprint(got) {
		p.t.Fatalf("%s:\nmodel    %v\ndatabase %v\n%s\nnow %d, model %v", what, want, got, strings.Join(p.log, "\n"), p.now(), p.model.edges)
	}
}

func (p *played) types() []string { return []string{"plain", "single", "sym", "one", "mentions"} }

func (p *played) assert() {
	ends := rapid.Permutation(p.ids).Draw(p.t, "ends")
	next := &modelEdge{
		from: ends[0], to: ends[1], typ: rapid.SampledFrom(p.types()).Draw(p.t, "type"), start: rapid.IntRange(-20, 70).Draw(p.t, "from"), told: p.now(),
		confidence: float64(rapid.IntRange(1, 4).Draw(p.t, "confidence")) / 4,
	}
	end := rapid.IntRange(-60, 80).Draw(p.t, "to")
	d := between(next.from, next.typ, next.to, nil, nil)
	d.Confidence = &next.confidence
	if next.start >= 0 {
		d.ValidFrom = ptr(hourOf(next.start))
	} else {
		next.start = p.now()
	}
	next.ends = []modelEnd{{p.now(), never}}
	if end >= 0 {
		next.ends[0].at, d.ValidTo = end, ptr(hourOf(end))
	}
	got, err := p.b.edges.Assert(p.ctx, p.b.to, d)
	found, created, code := p.model.assert(next, d.ValidFrom != nil || d.ValidTo != nil, p.now())
	if err == nil && created {
		found.id = got.Edge.ID
	}
	p.log = append(p.log, fmt.Sprintf("at %d: assert %v: created %v, %v", p.now(), next, created, err))
	p.code(code, err, "assert")
	if err == nil {
		p.equal(found.id, got.Edge.ID, "the edge that says it")
		p.equal(created, got.Created, "created")
	}
}

func (p *played) code(want knowledge.Code, err error, what string) {
	if want == "" {
		p.noError(err)
		return
	}
	if err == nil {
		p.t.Fatalf("%s was not refused with %s\n%s", what, want, strings.Join(p.log, "\n"))
	}
	p.equal(want, knowledge.CodeOf(err), what)
}

func (p *played) invalidate() {
	e := rapid.SampledFrom(p.model.edges).Draw(p.t, "edge")
	at := rapid.IntRange(-30, 90).Draw(p.t, "at")
	end := knowledge.EdgeEnd{ID: e.id}
	if at >= 0 {
		end.ValidTo = ptr(hourOf(at))
	} else {
		at = p.now()
	}
	p.log = append(p.log, fmt.Sprintf("at %d: end %v at %d", p.now(), e, at))
	_, err := p.b.edges.Invalidate(p.ctx, p.b.to, end)
	p.code(p.model.invalidate(e, at, p.now()), err, "invalidate")
}

func (p *played) delete() {
	e := rapid.SampledFrom(p.model.edges).Draw(p.t, "edge")
	p.log = append(p.log, fmt.Sprintf("at %d: delete %v", p.now(), e))
	_, err := p.b.edges.Delete(p.ctx, p.b.to, e.id)
	p.noError(err)
	p.model.remove(func(o *modelEdge) bool { return o == e })
}

func (p *played) deleteEntity() {
	if len(p.ids) < 4 {
		return
	}
	id := rapid.SampledFrom(p.ids).Draw(p.t, "entity")
	p.log = append(p.log, fmt.Sprintf("at %d: delete entity %s", p.now(), id))
	counts, err := p.b.entities.Delete(p.ctx, p.b.to, id)
	p.noError(err)
	before := len(p.model.edges)
	p.model.remove(func(e *modelEdge) bool { return e.from == id || e.to == id })
	p.equal(before-len(p.model.edges), counts.Edges, "edges of a deleted entity")
	p.ids = slices.DeleteFunc(p.ids, func(other string) bool { return other == id })
}

func (p *played) ask() {
	q := asked{
		root: rapid.SampledFrom(p.ids).Draw(p.t, "root"), hops: rapid.IntRange(1, 3).Draw(p.t, "hops"),
		direction: rapid.SampledFrom([]knowledge.Direction{knowledge.Both, knowledge.Outgoing, knowledge.Incoming}).Draw(p.t, "direction"),
		types:     rapid.SliceOfNDistinct(rapid.SampledFrom(p.types()), 0, 3, rapid.ID).Draw(p.t, "types"),
		at:        when{rapid.IntRange(-40, 80).Draw(p.t, "asOf"), rapid.IntRange(20, 53).Draw(p.t, "known"), rapid.IntRange(0, 3).Draw(p.t, "history") == 0},
	}
	at := knowledge.TimePoint{IncludeHistory: q.at.history}
	if q.at.asOf >= 0 {
		at.AsOf = ptr(hourOf(q.at.asOf))
	} else {
		q.at.asOf = none
	}
	if q.at.known >= firstStep {
		at.KnownAt = ptr(hourOf(q.at.known))
	} else {
		q.at.known = none
	}
	what := fmt.Sprintf("%+v", q)

	lists, err := p.b.edges.OfEntities(p.ctx, p.b.ws.ID, p.ids, service.EdgeQuery{Direction: q.direction, Types: q.types, At: at}, knowledge.PageRequest{First: 100})
	p.noError(err)
	counts, err := p.b.edges.CountOfEntities(p.ctx, p.b.ws.ID, p.ids, service.EdgeQuery{Direction: q.direction, Types: q.types, At: at})
	p.noError(err)
	for _, id := range p.ids {
		of := q
		of.root = id
		want, got := p.model.list(of, p.now()), []string{}
		for _, e := range lists[id].Items {
			got = append(got, e.ID)
			p.sameEnd(e, q)
		}
		p.equal(want, got, "edges of "+id+" "+what)
		p.equal(len(want), counts[id], "count of edges of "+id+" "+what)
	}

	near, err := p.b.navigation.Neighbors(p.ctx, p.b.ws.ID, service.NeighborQuery{Root: q.root, Hops: q.hops, First: 200, Direction: q.direction, EdgeTypes: q.types, At: at})
	p.noError(err)
	got := []string{}
	for _, n := range near.Nodes {
		var ids []string
		for _, e := range n.Path {
			ids = append(ids, e.ID)
			p.sameEnd(e, q)
		}
		got = append(got, n.Entity.ID+": "+strings.Join(ids, " "))
	}
	p.equal(p.model.neighbors(q, p.now()), got, "neighbours "+what)

	to := rapid.SampledFrom(p.ids).Draw(p.t, "to")
	if to == q.root {
		return
	}
	path, err := p.b.navigation.ShortestPath(p.ctx, p.b.ws.ID, service.PathQuery{
		From: knowledge.EntityRef{ID: q.root}, To: knowledge.EntityRef{ID: to}, MaxHops: q.hops, Direction: q.direction, EdgeTypes: q.types, At: at,
	})
	text := ""
	if !knowledge.IsNotFound(err) {
		p.noError(err)
		var entities, edges []string
		for _, e := range path.Entities {
			entities = append(entities, e.ID)
		}
		for _, e := range path.Edges {
			edges = append(edges, e.ID)
		}
		text = strings.Join(entities, " ") + ": " + strings.Join(edges, " ")
	}
	p.equal(p.model.shortest(q, to, p.now()), text, "path to "+to+" "+what)
}

// sameEnd checks that an edge is shown with the end that was known.
func (p *played) sameEnd(e *knowledge.Edge, q asked) {
	for _, m := range p.model.edges {
		if m.id != e.ID {
			continue
		}
		want := m.end()
		if q.at.known != none {
			want, _ = m.endAt(q.at.known)
		}
		got := never
		if e.ValidTo != nil {
			got = firstStep + int(e.ValidTo.Sub(hourOf(firstStep)).Hours())
		}
		p.equal(want, got, "end of "+e.ID)
	}
}
