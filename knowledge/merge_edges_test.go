package knowledge

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// month is the start of a month of 2026; what happens in these tests happens now, at the start of the sixth.
func month(n int) *time.Time {
	t := time.Date(2026, time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	return &t
}

func edgeOf(id, from, typ, to string, start, end int) *Edge {
	e := &Edge{ID: id, FromID: from, Type: typ, ToID: to, ValidFrom: month(start), CreatedAt: *month(1), Confidence: 0.5, Weight: 1}
	if end > 0 {
		e.ValidTo = month(end)
	}
	return e
}

func TestH8_MoveEdges(t *testing.T) {
	t.Parallel()
	rules := map[string]EdgeType{"at": {Key: "at", SingleValued: true}, "knows": {Key: "knows", Symmetric: true}, "married": {Key: "married", SingleValued: true, Symmetric: true}}
	sure := func(e *Edge, confidence float64) *Edge { e.Confidence = confidence; return e }
	for _, c := range []struct {
		name           string
		edges, stored  []*Edge
		moved, changed []string // id from→to [start,end) confidence
		dropped        []string // id>into
	}{
		{
			"directions stay",
			[]*Edge{edgeOf("1", "b", "uses", "x", 1, 0), edgeOf("2", "y", "uses", "c", 1, 3)},
			nil,
			[]string{"1 a→x [1,-) 0.5", "2 y→a [1,3) 0.5"},
			nil, nil,
		},
		{"self-loops go", []*Edge{edgeOf("1", "a", "uses", "b", 1, 0), edgeOf("2", "b", "uses", "c", 1, 2)}, nil, nil, nil, []string{"1>", "2>"}},
		{
			"an equal current one stays, with the larger confidence",
			[]*Edge{sure(edgeOf("1", "b", "uses", "x", 1, 0), 0.9)},
			[]*Edge{edgeOf("9", "a", "uses", "x", 2, 0)},
			nil,
			[]string{"9 a→x [2,-) 0.9"},
			[]string{"1>9"},
		},
		{
			"a smaller confidence changes nothing",
			[]*Edge{sure(edgeOf("1", "b", "uses", "x", 1, 0), 0.1)},
			[]*Edge{edgeOf("9", "a", "uses", "x", 2, 0)},
			nil, nil,
			[]string{"1>9"},
		},
		{
			"the opposite direction and another type are no equals",
			[]*Edge{edgeOf("1", "b", "uses", "x", 1, 0)},
			[]*Edge{edgeOf("8", "x", "uses", "a", 1, 0), edgeOf("9", "a", "owns", "x", 1, 0)},
			[]string{"1 a→x [1,-) 0.5"},
			nil, nil,
		},
		{
			"historical ones move beside each other",
			[]*Edge{edgeOf("1", "b", "uses", "x", 1, 2), edgeOf("2", "b", "uses", "x", 3, 4)},
			[]*Edge{edgeOf("9", "a", "uses", "x", 2, 3)},
			[]string{"1 a→x [1,2) 0.5", "2 a→x [3,4) 0.5"},
			nil, nil,
		},
		{"a historical one that overlaps goes", []*Edge{edgeOf("1", "b", "uses", "x", 1, 3)}, []*Edge{edgeOf("9", "a", "uses", "x", 2, 4)}, nil, nil, []string{"1>9"}},
		{"also beside a current one", []*Edge{edgeOf("1", "b", "uses", "x", 1, 3)}, []*Edge{edgeOf("9", "a", "uses", "x", 2, 0)}, nil, nil, []string{"1>9"}},
		{
			"what is current does not go for history",
			[]*Edge{edgeOf("1", "b", "uses", "x", 2, 0)},
			[]*Edge{edgeOf("9", "a", "uses", "x", 1, 3)},
			[]string{"1 a→x [2,-) 0.5"},
			nil,
			[]string{"9>1"},
		},
		{
			"of two merged ones the earlier stays",
			[]*Edge{edgeOf("2", "c", "uses", "x", 2, 0), edgeOf("1", "b", "uses", "x", 1, 0)},
			nil,
			[]string{"1 a→x [1,-) 0.5"},
			nil,
			[]string{"2>1"},
		},
		{
			"what stood for another is named in the end",
			[]*Edge{edgeOf("1", "b", "uses", "x", 1, 3), edgeOf("2", "c", "uses", "x", 2, 4), edgeOf("3", "d", "uses", "x", 2, 0)},
			nil,
			[]string{"3 a→x [2,-) 0.5"},
			nil,
			[]string{"2>3", "1>3"},
		},
		{
			"a future end that touches is no rival",
			[]*Edge{edgeOf("1", "b", "uses", "x", 8, 0)},
			[]*Edge{edgeOf("9", "a", "uses", "x", 1, 8)},
			[]string{"1 a→x [8,-) 0.5"},
			nil, nil,
		},
		{
			"a correction that holds at no time moves",
			[]*Edge{edgeOf("1", "b", "uses", "x", 2, 2)},
			[]*Edge{edgeOf("9", "a", "uses", "x", 1, 0)},
			[]string{"1 a→x [2,2) 0.5"},
			nil, nil,
		},
		{
			"symmetric: the reverse edge is the same",
			[]*Edge{edgeOf("1", "b", "knows", "x", 1, 0)},
			[]*Edge{edgeOf("9", "x", "knows", "a", 1, 0)},
			nil, nil,
			[]string{"1>9"},
		},
		{
			"T4 the later value ends the one that stays",
			[]*Edge{edgeOf("1", "b", "at", "x", 3, 0)},
			[]*Edge{edgeOf("9", "a", "at", "y", 1, 0)},
			[]string{"1 a→x [3,-) 0.5"},
			[]string{"9 a→y [1,3) 0.5"},
			nil,
		},
		{
			"T4 the earlier value ends where the one that stays begins",
			[]*Edge{edgeOf("1", "b", "at", "x", 1, 0)},
			[]*Edge{edgeOf("9", "a", "at", "y", 3, 0)},
			[]string{"1 a→x [1,3) 0.5"},
			nil, nil,
		},
		{
			"T4 a target that moves ends nothing",
			[]*Edge{edgeOf("1", "x", "at", "b", 1, 0)},
			[]*Edge{edgeOf("9", "x", "at", "y", 3, 0)},
			[]string{"1 x→a [1,-) 0.5"},
			nil, nil,
		},
		{
			"T4 symmetric and single-valued",
			[]*Edge{edgeOf("1", "x", "married", "b", 3, 0)},
			[]*Edge{edgeOf("9", "a", "married", "y", 1, 0)},
			[]string{"1 x→a [3,-) 0.5"},
			[]string{"9 a→y [1,3) 0.5"},
			nil,
		},
		{
			"stored edges that move themselves are not there",
			[]*Edge{edgeOf("1", "x", "uses", "b", 1, 0)},
			[]*Edge{edgeOf("1", "x", "uses", "b", 1, 0)},
			[]string{"1 x→a [1,-) 0.5"},
			nil, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := MoveEdges(c.edges, c.stored, "a", []string{"b", "c", "d"}, rules, *month(6))
			require.Equal(t, c.moved, shown(out.Moved))
			require.Equal(t, c.changed, shown(out.Changed))
			var dropped []string
			for _, d := range out.Dropped {
				dropped = append(dropped, d.Edge.ID+">"+d.Into)
			}
			require.Equal(t, c.dropped, dropped)
		})
	}
}

func TestT1_WhatAMergeEndsIsKnownFromThenOn(t *testing.T) {
	t.Parallel()
	rules := map[string]EdgeType{"at": {Key: "at", SingleValued: true}}
	out := MoveEdges([]*Edge{edgeOf("1", "b", "at", "x", 1, 0)}, []*Edge{edgeOf("9", "a", "at", "y", 3, 0)}, "a", []string{"b"}, rules, *month(6))
	require.Equal(t, *month(6), *out.Moved[0].InvalidatedAt)
	require.Nil(t, out.Moved[0].KnownAt(*month(5)).ValidTo, "before the merge nobody knew of an end")
}

func shown(edges []*Edge) []string {
	var out []string
	for _, e := range edges {
		end := "-"
		if e.ValidTo != nil {
			end = fmt.Sprint(int(e.ValidTo.Month()))
		}
		out = append(out, fmt.Sprintf("%s %s→%s [%d,%s) %v", e.ID, e.FromID, e.ToID, int(e.ValidFrom.Month()), end, e.Confidence))
	}
	slices.Sort(out)
	return out
}

// TestH8_MovedEdgesKeepTheLaws: whatever is merged, no two edges of the same two entities
// hold at one time, and every edge is there afterwards or has one that stands for it.
func TestH8_MovedEdgesKeepTheLaws(t *testing.T) {
	t.Parallel()
	rules := map[string]EdgeType{"at": {Key: "at", SingleValued: true}, "knows": {Key: "knows", Symmetric: true}}
	rapid.Check(t, func(t *rapid.T) {
		var all []*Edge
		for i := range rapid.IntRange(0, 14).Draw(t, "edges") {
			start := rapid.IntRange(1, 9).Draw(t, "start")
			end := rapid.SampledFrom([]int{0, 0, start + 1, start + 2, 12}).Draw(t, "end")
			from, to := rapid.SampledFrom([]string{"a", "b", "c", "x", "y"}).Draw(t, "from"), rapid.SampledFrom([]string{"a", "b", "c", "x", "y"}).Draw(t, "to")
			if from == to {
				continue
			}
			e := edgeOf(fmt.Sprint(i), from, rapid.SampledFrom([]string{"uses", "at", "knows"}).Draw(t, "type"), to, start, end)
			change, err := AssertEdge(all, EdgeClaim{Edge: e, Dated: true}, rules[e.Type], *month(6))
			if err != nil || !change.Created {
				continue
			}
			for _, ended := range change.Ended {
				all[slices.IndexFunc(all, func(o *Edge) bool { return o.ID == ended.ID })] = ended
			}
			all = append(all, change.Edge)
		}
		var moving, stored []*Edge
		for _, e := range all {
			if e.FromID == "b" || e.ToID == "b" || e.FromID == "c" || e.ToID == "c" {
				moving = append(moving, e)
				continue
			}
			stored = append(stored, e)
		}
		out := MoveEdges(moving, stored, "a", []string{"b", "c"}, rules, *month(6))
		after := lawfulState(t, stored, out, rules)
		for _, d := range out.Dropped {
			if d.Into != "" && after[d.Into] == nil {
				t.Fatalf("%s went for %s, which is not there", d.Edge.ID, d.Into)
			}
		}
		if len(out.Moved)+len(out.Dropped) < len(moving) {
			t.Fatalf("of %d edges %d moved and %d were dropped", len(moving), len(out.Moved), len(out.Dropped))
		}
	})
}

func lawfulState(t *rapid.T, stored []*Edge, out EdgeMerge, rules map[string]EdgeType) map[string]*Edge {
	after := map[string]*Edge{}
	for _, list := range [][]*Edge{stored, out.Moved, out.Changed} {
		for _, e := range list {
			after[e.ID] = e
		}
	}
	for _, d := range out.Dropped {
		delete(after, d.Edge.ID)
	}
	for _, e := range after {
		for _, o := range after {
			if e.ID >= o.ID || e.Type != o.Type {
				continue
			}
			same := e.FromID == o.FromID && e.ToID == o.ToID || rules[e.Type].Symmetric && e.FromID == o.ToID && e.ToID == o.FromID
			if same && e.Interval().Overlaps(o.Interval()) {
				t.Fatalf("%v overlap", shown([]*Edge{e, o}))
			}
			if rules[e.Type].SingleValued && e.FromID == o.FromID && !same && e.Interval().Contains(*month(6)) && o.Interval().Contains(*month(6)) {
				t.Fatalf("%v both hold", shown([]*Edge{e, o}))
			}
		}
	}
	return after
}

func TestC11_EqualObservations(t *testing.T) {
	t.Parallel()
	note := func(id, text string, by Actor, created int, fingerprint string) *Observation {
		return &Observation{ID: id, Text: text, Source: by, CreatedAt: *month(created), Fingerprint: Fingerprint(fingerprint, text)}
	}
	for _, c := range []struct {
		name string
		list []*Observation
		want []ObservationDrop
	}{
		{"the strongest source stays", []*Observation{note("1", "Compiles fast", ActorAuto, 1, ""), note("2", "compiles   FAST", ActorAgent, 2, "")}, []ObservationDrop{{"1", "2"}}},
		{"then the oldest", []*Observation{note("1", "x", ActorAuto, 2, ""), note("2", "X", ActorAuto, 1, "")}, []ObservationDrop{{"1", "2"}}},
		{"then the smallest id", []*Observation{note("2", "x", ActorAuto, 1, ""), note("1", "x", ActorAuto, 1, "")}, []ObservationDrop{{"2", "1"}}},
		{"one fingerprint is one event", []*Observation{note("1", "x", ActorAuto, 1, "mail-7"), note("2", "y", ActorAuto, 2, "mail-7")}, []ObservationDrop{{"2", "1"}}},
		{
			"equal through a third",
			[]*Observation{note("1", "x", ActorAuto, 1, "f"), note("2", "y", ActorAuto, 2, "f"), note("3", "y", ActorAuto, 3, "")},
			[]ObservationDrop{{"2", "1"}, {"3", "1"}},
		},
		{"different ones stay", []*Observation{note("1", "x", ActorAuto, 1, ""), note("2", "y", ActorManual, 1, "")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, EqualObservations(c.list))
		})
	}
}
