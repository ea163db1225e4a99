package knowledge

import (
	"slices"
	"time"
)

// UnsupportedEntry is an entry that rests on nothing any more: it ends at the moment
// given, or at its start where it has not begun by then (SPEC T5). It is the same entry
// where it has ended.
func UnsupportedEntry(e *Entry, at, now time.Time) *Entry {
	if e.ValidTo != nil && !e.ValidTo.After(now) {
		return e
	}
	start := e.CreatedAt
	if e.ValidFrom != nil {
		start = *e.ValidFrom
	}
	if at.Before(start) {
		at = start
	}
	if e.ValidTo != nil && !at.Before(*e.ValidTo) {
		return e
	}
	ended := *e
	if e.ValidTo != nil {
		told := e.CreatedAt
		if e.InvalidatedAt != nil {
			told = *e.InvalidatedAt
		}
		ended.PriorEnds = append(slices.Clone(e.PriorEnds), PriorEnd{At: e.ValidTo, ToldAt: told})
	}
	ended.ValidTo, ended.InvalidatedAt, ended.UpdatedAt = &at, &now, now
	return &ended
}
