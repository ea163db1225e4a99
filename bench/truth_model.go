package bench

import (
	"slices"
	"time"
)

// factKey is what an edge connects and how.
type factKey struct{ from, to, kind string }

// belief is one interval of a fact as it was told: the right answer, kept apart from
// the product's own rules.
type belief struct {
	key     factKey
	start   time.Time
	told    time.Time // when the graph was told of it
	ends    []end     // what was believed of its end, oldest first; an end without a time is open
	sources map[string]bool
}

type end struct {
	at   *time.Time
	told time.Time
}

// endAt is the end that was believed at a moment; nil is open.
func (b *belief) endAt(known time.Time) *time.Time {
	var at *time.Time
	for _, e := range b.ends {
		if !e.told.After(known) {
			at = e.at
		}
	}
	return at
}

func (b *belief) lastEnd() *time.Time { return b.ends[len(b.ends)-1].at }

func (b *belief) open() bool { return b.lastEnd() == nil }

// holds tells whether the fact was true at asOf, by what was known at known.
func (b *belief) holds(asOf, known time.Time) bool {
	if b.told.After(known) || b.start.After(asOf) {
		return false
	}
	until := b.endAt(known)
	return until == nil || asOf.Before(*until)
}

// history is all that was told, in the order in which it was told.
type history struct {
	beliefs []*belief
	single  map[string]bool // kinds of which a source has one at a time
}

// of are the beliefs about one key, by start.
func (h *history) of(key factKey) []*belief {
	var out []*belief
	for _, b := range h.beliefs {
		if b.key == key {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b *belief) int { return a.start.Compare(b.start) })
	return out
}

// ofSource are the beliefs of one kind about a source, by start.
func (h *history) ofSource(from, kind string) []*belief {
	var out []*belief
	for _, b := range h.beliefs {
		if b.key.from == from && b.key.kind == kind {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b *belief) int { return a.start.Compare(b.start) })
	return out
}

// tell notes an interval, at the moment at which the graph was told. For a kind of which
// there is one at a time, the open one of another target ends where this one starts, and
// one that starts before the first of all ends where that one starts.
func (h *history) tell(key factKey, start time.Time, until *time.Time, source string, told time.Time) {
	b := &belief{key: key, start: start, told: told, ends: []end{{until, told}}, sources: map[string]bool{source: true}}
	if h.single[key.kind] {
		for _, other := range h.ofSource(key.from, key.kind) {
			if other.open() && other.start.Before(start) {
				other.ends = append(other.ends, end{&start, told})
			}
			if until == nil && other.start.After(start) {
				first := other.start
				until = &first
				b.ends = []end{{until, told}}
			}
		}
	}
	h.beliefs = append(h.beliefs, b)
}

// stop notes that a fact ended.
func (b *belief) stop(at, told time.Time) { b.ends = append(b.ends, end{&at, told}) }

// truths are the facts of a source that held at asOf by what was known then.
func (h *history) truths(from string, asOf, known time.Time) map[factKey]bool {
	out := map[factKey]bool{}
	for _, b := range h.beliefs {
		if b.key.from == from && b.holds(asOf, known) {
			out[b.key] = true
		}
	}
	return out
}

// moments are the points in time at which something may differ for a source: each
// start and end that was ever believed, and the instants around it.
func (h *history) moments(from string) []time.Time {
	var out []time.Time
	around := func(t time.Time) { out = append(out, t.Add(-time.Microsecond), t) }
	for _, b := range h.beliefs {
		if b.key.from != from {
			continue
		}
		around(b.start)
		for _, e := range b.ends {
			if e.at != nil {
				around(*e.at)
			}
		}
	}
	slices.SortFunc(out, time.Time.Compare)
	return slices.CompactFunc(out, time.Time.Equal)
}
