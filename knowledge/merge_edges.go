package knowledge

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// EdgeMerge is what a merge of entities does to edges.
type EdgeMerge struct {
	Moved   []*Edge // edges of the merged entities as they are afterwards, at the entity that stays
	Changed []*Edge // other edges that ended or gained confidence, as they are afterwards
	Dropped []EdgeDrop
}

// EdgeDrop is an edge that goes with a merge. Into is the edge that now says what it
// said; empty for one that would have joined the entity to itself.
type EdgeDrop struct {
	Edge *Edge
	Into string
}

// edgeMerger moves edges one after the other, each against those that are there then.
type edgeMerger struct {
	keep    string
	merged  map[string]bool
	rules   map[string]EdgeType
	now     time.Time
	there   []*Edge // stored ones and those that were moved, as they are by now
	moved   map[string]bool
	changed map[string]bool
	out     EdgeMerge
}

// MoveEdges moves the edges of merged entities to the one that stays (SPEC H8). stored
// are the edges that decide on them there (MovedKeys). Nothing is changed in place.
//
// Each moved edge keeps its id, its direction and its times, and:
//
//   - an edge that would join the entity to itself is dropped;
//   - one that holds at a time at which an equal one holds is dropped for it: of two
//     current ones the moved, which leaves the larger confidence behind; of a current
//     and a historical one the historical; of two historical ones the moved;
//   - single-valued types keep their law as if the later one had been said later
//     (SPEC T4): what makes way is ended now, and stays as history.
func MoveEdges(edges, stored []*Edge, keep string, merged []string, rules map[string]EdgeType, now time.Time) EdgeMerge {
	m := &edgeMerger{keep: keep, merged: map[string]bool{}, rules: rules, now: now, moved: map[string]bool{}, changed: map[string]bool{}}
	for _, id := range merged {
		m.merged[id] = true
	}
	moving := map[string]bool{}
	for _, e := range edges {
		moving[e.ID] = true
	}
	for _, e := range stored {
		if !moving[e.ID] {
			m.there = append(m.there, e)
		}
	}
	edges = slices.Clone(edges)
	slices.SortFunc(edges, func(a, b *Edge) int {
		return cmp.Or(a.Start().Compare(b.Start()), a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	for _, e := range edges {
		m.move(e)
	}
	return m.result()
}

// MovedKeys name the edges that decide on moved ones at the entity that stays.
func MovedKeys(edges []*Edge, keep string, merged []string, rules map[string]EdgeType) []EdgeKey {
	var keys []EdgeKey
	for _, e := range edges {
		from, to := movedEnd(e.FromID, keep, merged), movedEnd(e.ToID, keep, merged)
		if from == to {
			continue
		}
		rule := ruleOfMoved(rules[e.Type], from != e.FromID)
		keys = append(keys, EdgeKey{From: from, To: to, Type: e.Type, SingleValued: rule.SingleValued, Symmetric: rule.Symmetric})
	}
	return keys
}

func movedEnd(id, keep string, merged []string) string {
	if slices.Contains(merged, id) {
		return keep
	}
	return id
}

// ruleOfMoved is the rule for an edge that moves with its source, or with its target
// only: then its source has as many values as before, and none makes way.
func ruleOfMoved(rule EdgeType, withSource bool) EdgeType {
	rule.SingleValued = rule.SingleValued && (withSource || rule.Symmetric)
	return rule
}

func (m *edgeMerger) end(id string) string {
	if m.merged[id] {
		return m.keep
	}
	return id
}

func (m *edgeMerger) move(e *Edge) {
	next := *e
	next.FromID, next.ToID = m.end(e.FromID), m.end(e.ToID)
	switch {
	case next.FromID == next.ToID:
		m.out.Dropped = append(m.out.Dropped, EdgeDrop{Edge: e})
		return
	case next.Interval().Empty(): // a correction that holds at no time bothers nobody
		m.keepMoved(&next)
		return
	}
	rule := ruleOfMoved(m.rules[e.Type], next.FromID != e.FromID)
	if !m.yield(e, &next, rule) {
		return
	}
	m.keepMoved(m.lawful(&next, rule))
}

// lawful lets a moved edge of a single-valued type take its place among the others, and
// gives it as it is then (SPEC T4).
func (m *edgeMerger) lawful(next *Edge, rule EdgeType) *Edge {
	if !rule.SingleValued {
		return next
	}
	claim := *next
	same, others := partition(m.there, next, rule)
	for _, ended := range makeWay(same, others, &claim, m.now) {
		m.replace(ended)
	}
	if sameMoment(claim.ValidTo, next.ValidTo) {
		return next
	}
	return endedAt(next, *claim.ValidTo, m.now)
}

// yield settles a moved edge with those of the same two entities that hold at the same
// time: false where it is dropped for one of them.
func (m *edgeMerger) yield(e, next *Edge, rule EdgeType) bool {
	rival := m.overlapping(next, rule)
	if len(rival) == 0 {
		return true
	}
	current := slices.IndexFunc(rival, func(o *Edge) bool { return o.Current(m.now) })
	if next.Current(m.now) && current < 0 {
		for _, o := range rival {
			m.drop(o, next.ID)
		}
		return true
	}
	into := rival[max(0, current)]
	m.out.Dropped = append(m.out.Dropped, EdgeDrop{Edge: e, Into: into.ID})
	if next.Current(m.now) && next.Confidence > into.Confidence {
		surer := *into
		surer.Confidence = next.Confidence
		m.replace(&surer)
	}
	return false
}

func (m *edgeMerger) overlapping(next *Edge, rule EdgeType) []*Edge {
	var out []*Edge
	same, _ := partition(m.there, next, rule)
	for _, o := range same {
		if o.Interval().Overlaps(next.Interval()) {
			out = append(out, o)
		}
	}
	return out
}

func (m *edgeMerger) keepMoved(e *Edge) {
	m.moved[e.ID] = true
	m.there = append(m.there, e)
}

// replace takes an edge's new state as the one that the next ones find.
func (m *edgeMerger) replace(e *Edge) {
	for i, o := range m.there {
		if o.ID == e.ID {
			m.there[i] = e
		}
	}
	if !m.moved[e.ID] {
		m.changed[e.ID] = true
	}
}

func (m *edgeMerger) drop(e *Edge, into string) {
	m.there = slices.DeleteFunc(m.there, func(o *Edge) bool { return o.ID == e.ID })
	delete(m.moved, e.ID)
	delete(m.changed, e.ID)
	m.out.Dropped = append(m.out.Dropped, EdgeDrop{Edge: e, Into: into})
}

func (m *edgeMerger) result() EdgeMerge {
	for _, e := range m.there {
		switch {
		case m.moved[e.ID]:
			m.out.Moved = append(m.out.Moved, e)
		case m.changed[e.ID]:
			m.out.Changed = append(m.out.Changed, e)
		}
	}
	into := map[string]string{}
	for _, d := range m.out.Dropped {
		into[d.Edge.ID] = d.Into
	}
	for i, d := range m.out.Dropped {
		for into[d.Into] != "" { // what stood for it was dropped itself
			d.Into = into[d.Into]
		}
		m.out.Dropped[i] = d
	}
	return m.out
}

// ObservationDrop is an observation for which an equal one stands.
type ObservationDrop struct {
	ID   string
	Into string
}

// EqualObservations are those of one entity that say what another one says: the same
// text once normalised, or the same fingerprint. Of equal ones the one of the strongest
// source stays, then the oldest, then that of the smallest id (SPEC C11).
func EqualObservations(list []*Observation) []ObservationDrop {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *Observation) int {
		return cmp.Or(cmp.Compare(b.Source.Rank(), a.Source.Rank()), a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	var out []ObservationDrop
	stays := map[string]string{}
	for _, o := range list {
		prints := []string{o.Fingerprint, ContentFingerprint(o.Text)}
		at := slices.IndexFunc(prints, func(fp string) bool { return stays[fp] != "" })
		into := o.ID
		if at >= 0 {
			into = stays[prints[at]]
			out = append(out, ObservationDrop{ID: o.ID, Into: into})
		}
		for _, fp := range prints {
			if stays[fp] == "" {
				stays[fp] = into
			}
		}
	}
	return out
}
