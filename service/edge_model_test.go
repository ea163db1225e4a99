package service_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mneme/knowledge"
)

// model is a small picture of what the graph must hold: hours instead of times, lists
// that are searched instead of indexes, every rule as the specification puts it.
type model struct {
	edges []*modelEdge
	types map[string]knowledge.EdgeType
}

// never is the end of what has none.
const never = 1 << 20

type modelEdge struct {
	id, from, to, typ string
	start, told       int
	ends              []modelEnd // as they were told, the last is believed now
	confidence        float64
}

type modelEnd struct{ told, at int }

func (e *modelEdge) end() int { return e.ends[len(e.ends)-1].at }

func (e *modelEdge) String() string {
	return fmt.Sprintf("%s %s-%s->%s [%d,%d)", e.id, e.from, e.typ, e.to, e.start, e.end())
}

// endAt is the end that was known at an hour; false before the edge was told.
func (e *modelEdge) endAt(known int) (int, bool) {
	if known < e.told {
		return 0, false
	}
	at := never
	for _, end := range e.ends {
		if end.told <= known {
			at = end.at
		}
	}
	return at, true
}

// when is a moment of a question; none stands for what is not asked.
type when struct {
	asOf, known int
	history     bool
}

const none = -1

func (m *model) sees(e *modelEdge, at when, now int) bool {
	end := e.end()
	if at.known != none {
		var told bool
		if end, told = e.endAt(at.known); !told {
			return false
		}
	}
	t := at.asOf
	if t == none {
		t = now
	}
	return at.history || e.start <= t && t < end
}

func (m *model) symmetric(typ string) bool { return m.types[typ].Symmetric }

func (m *model) samePair(e *modelEdge, from, to string) bool {
	return e.from == from && e.to == to || m.symmetric(e.typ) && e.from == to && e.to == from
}

// assert gives the edge that a claim finds, or a new one with those that it ends, or the code of an error.
func (m *model) assert(next *modelEdge, dated bool, now int) (found *modelEdge, created bool, code knowledge.Code) {
	if next.end() <= next.start {
		return nil, false, knowledge.CodeInvalidInput
	}
	var same, others []*modelEdge
	for _, e := range m.edges {
		switch {
		case e.typ != next.typ:
		case m.samePair(e, next.from, next.to):
			same = append(same, e)
		case e.from == next.from, m.symmetric(e.typ) && (e.to == next.to || e.from == next.to || e.to == next.from):
			others = append(others, e)
		}
	}
	equal := func() *modelEdge {
		for _, e := range same {
			if e.start == next.start && e.end() == next.end() {
				return e
			}
		}
		return nil
	}
	for _, e := range same {
		if !dated && e.start <= now && now < e.end() {
			return e, false, ""
		}
	}
	if e := equal(); e != nil {
		return e, false, ""
	}
	if m.types[next.typ].SingleValued {
		m.cutShort(next, others, now)
		if e := equal(); e != nil {
			return e, false, ""
		}
	}
	for _, e := range same {
		for t := next.start; t < min(next.end(), 1000); t++ {
			if e.start <= t && t < e.end() {
				return nil, false, knowledge.CodeOverlappingInterval
			}
		}
	}
	if m.types[next.typ].SingleValued {
		m.supersede(next, same, others, now)
	}
	m.edges = append(m.edges, next)
	return next, true, ""
}

// cutShort ends a back-dated claim where the current edge starts, and one whose end was
// not said where the first of the later ones starts.
func (m *model) cutShort(next *modelEdge, others []*modelEdge, now int) {
	said := next.end()
	for _, e := range others {
		if e.end() > now && e.start < e.end() && e.start > next.start && e.start < next.end() {
			next.ends[0].at = e.start
		}
	}
	if said != never || next.end() == never {
		return
	}
	for _, e := range others {
		if e.start < e.end() && e.start > next.start && e.start < next.end() {
			next.ends[0].at = e.start
		}
	}
}

// supersede ends what holds when a claim starts: what is current only by what is
// current, what is past only where its end is the start of another.
func (m *model) supersede(next *modelEdge, same, others []*modelEdge, now int) {
	ends := map[*modelEdge]bool{}
	for _, e := range others {
		if e.start > next.start || next.start >= e.end() || e.start == e.end() {
			continue
		}
		handedOver := slices.ContainsFunc(slices.Concat(same, others), func(o *modelEdge) bool { return o != e && o.start == e.end() })
		if e.end() > now && next.end() > now || e.end() <= now && handedOver {
			ends[e] = true
		}
	}
	for e := range ends {
		e.ends = append(e.ends, modelEnd{now, next.start})
	}
}

// invalidate ends an edge as SPEC B16 says.
func (m *model) invalidate(e *modelEdge, at, now int) knowledge.Code {
	switch {
	case e.end() == at:
		return ""
	case e.end() <= now, e.end() != never && at > e.end():
		return knowledge.CodeConflict
	case at <= e.start:
		return knowledge.CodeInvalidInput
	}
	e.ends = append(e.ends, modelEnd{now, at})
	return ""
}

func (m *model) remove(gone func(*modelEdge) bool) { m.edges = slices.DeleteFunc(m.edges, gone) }

// steps are the edges that lead away from an entity, with where they lead.
func (m *model) steps(id string, q asked, now int) map[*modelEdge]string {
	out := map[*modelEdge]string{}
	for _, e := range m.edges {
		if len(q.types) > 0 && !slices.Contains(q.types, e.typ) || !m.sees(e, q.at, now) {
			continue
		}
		out2in := q.direction != knowledge.Incoming || m.symmetric(e.typ)
		in2out := q.direction != knowledge.Outgoing || m.symmetric(e.typ)
		if e.from == id && out2in {
			out[e] = e.to
		}
		if e.to == id && in2out {
			out[e] = e.from
		}
	}
	return out
}

// asked is what is asked of the graph and of the model.
type asked struct {
	root      string
	hops      int
	direction knowledge.Direction
	types     []string
	at        when
}

func compareModelEdges(a, b *modelEdge) int {
	return cmp.Or(cmp.Compare(b.confidence, a.confidence), cmp.Compare(a.told, b.told), cmp.Compare(a.id, b.id))
}

// list are the ids of an entity's edges in order.
func (m *model) list(q asked, now int) []string {
	var edges []*modelEdge
	for e := range m.steps(q.root, q, now) {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, compareModelEdges)
	ids := []string{}
	for _, e := range edges {
		ids = append(ids, e.id)
	}
	return ids
}

// neighbors are what a walk reaches, each as "entity: ids of the edges on the way".
func (m *model) neighbors(q asked, now int) []string {
	path := map[string][]string{q.root: nil}
	level, out := []string{q.root}, []string{}
	for range q.hops {
		type step struct {
			edge      *modelEdge
			near, far string
		}
		var steps []step
		for _, near := range level {
			for e, far := range m.steps(near, q, now) {
				steps = append(steps, step{e, near, far})
			}
		}
		slices.SortFunc(steps, func(a, b step) int { return cmp.Or(compareModelEdges(a.edge, b.edge), cmp.Compare(a.near, b.near)) })
		level = nil
		for _, st := range steps {
			if _, seen := path[st.far]; seen {
				continue
			}
			path[st.far] = append(slices.Clone(path[st.near]), st.edge.id)
			level = append(level, st.far)
			out = append(out, st.far+": "+strings.Join(path[st.far], " "))
		}
	}
	return out
}

// shortest is the best of all shortest ways: "entities: edges", empty where there is none.
func (m *model) shortest(q asked, to string, now int) string {
	type way struct {
		entities, edges []string
		confidence      float64
	}
	ways := []way{{entities: []string{q.root}, confidence: 1}}
	for range q.hops {
		var next []way
		for _, w := range ways {
			last := w.entities[len(w.entities)-1]
			for e, far := range m.steps(last, q, now) {
				if !slices.Contains(w.entities, far) {
					next = append(next, way{append(slices.Clone(w.entities), far), append(slices.Clone(w.edges), e.id), w.confidence * e.confidence})
				}
			}
		}
		arrived := slices.DeleteFunc(slices.Clone(next), func(w way) bool { return w.entities[len(w.entities)-1] != to })
		if len(arrived) > 0 {
			best := slices.MinFunc(arrived, func(a, b way) int {
				return cmp.Or(cmp.Compare(b.confidence, a.confidence), slices.Compare(a.entities, b.entities), slices.Compare(a.edges, b.edges))
			})
			return strings.Join(best.entities, " ") + ": " + strings.Join(best.edges, " ")
		}
		ways = next
	}
	return ""
}
