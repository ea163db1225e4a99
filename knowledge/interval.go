package knowledge

import "time"

// Interval is a stretch of time, half-open: [From, To). A nil From has always begun,
// a nil To has not ended (SPEC B5).
type Interval struct {
	From *time.Time
	To   *time.Time
}

// Contains tells whether the interval holds at t: its start does, its end does not.
func (i Interval) Contains(t time.Time) bool {
	return (i.From == nil || !i.From.After(t)) && (i.To == nil || i.To.After(t))
}

// Overlaps tells whether two intervals share a moment; intervals that touch share none (SPEC B13).
func (i Interval) Overlaps(o Interval) bool {
	return !i.Empty() && !o.Empty() && before(i.From, o.To) && before(o.From, i.To)
}

// before tells whether a start lies before an end; nil is the beginning, or the end, of time.
func before(start, end *time.Time) bool { return start == nil || end == nil || start.Before(*end) }

// Empty tells whether the interval holds at no moment at all.
func (i Interval) Empty() bool { return i.From != nil && i.To != nil && !i.From.Before(*i.To) }

// Equal tells whether both ends are the same moments.
func (i Interval) Equal(o Interval) bool { return sameMoment(i.From, o.From) && sameMoment(i.To, o.To) }

func sameMoment(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Equal(*b)
}

// Moment is t as it is stored: in UTC, to the microsecond.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// MomentOf is the moment behind a pointer; nil stays nil.
func MomentOf(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	m := Moment(*t)
	return &m
}

// Interval is when the edge is true, for questions of overlap: a missing start is
// the time when the graph was told (SPEC B6).
func (e *Edge) Interval() Interval {
	start := e.Start()
	return Interval{From: &start, To: e.ValidTo}
}

// Start is when the edge began to hold, the time when the graph was told where that is unknown.
func (e *Edge) Start() time.Time {
	if e.ValidFrom != nil {
		return *e.ValidFrom
	}
	return e.CreatedAt
}

// Current tells whether the edge has no end, or one in the future (SPEC B15).
func (e *Edge) Current(now time.Time) bool { return e.ValidTo == nil || e.ValidTo.After(now) }

// KnownAt is the edge as this graph knew it at k: with the end that had been told by
// then, which may be none. Nil where the edge itself had not been told (SPEC T1).
func (e *Edge) KnownAt(k time.Time) *Edge {
	if e.CreatedAt.After(k) {
		return nil
	}
	if e.InvalidatedAt == nil || !e.InvalidatedAt.After(k) {
		return e
	}
	known := *e
	known.ValidTo, known.InvalidatedAt, known.PriorEnds = nil, nil, nil
	known.Weight = 1
	for n, p := range e.PriorEnds {
		if p.ToldAt.After(k) {
			break
		}
		known.ValidTo, known.PriorEnds = p.At, e.PriorEnds[:n]
		if p.ToldAt.After(e.CreatedAt) {
			known.InvalidatedAt = &p.ToldAt
		}
	}
	return &known
}

// VisibleAt tells whether an edge is seen at a moment in both times. History shows
// every edge that had been told, whenever it holds (SPEC B5, B22, T1).
func VisibleAt(e *Edge, at TimePoint, now time.Time) bool { return e.SeenAt(at, now) != nil }

// SeenAt is the edge as it is seen at a moment in both times; nil where it is not.
func (e *Edge) SeenAt(at TimePoint, now time.Time) *Edge {
	seen := e
	if at.KnownAt != nil {
		if seen = e.KnownAt(*at.KnownAt); seen == nil {
			return nil
		}
	}
	if at.IncludeHistory || (Interval{From: seen.ValidFrom, To: seen.ValidTo}).Contains(at.Moment(now)) {
		return seen
	}
	return nil
}

// Moment is the time that is asked about in the world: now where none is named.
func (at TimePoint) Moment(now time.Time) time.Time {
	if at.AsOf != nil {
		return *at.AsOf
	}
	return now
}
