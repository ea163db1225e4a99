package knowledge

import (
	"cmp"
	"strings"
	"time"
)

// ChangeSource is where changes are read from: what was told, and how.
type ChangeSource string

// Sources of changes (SPEC T24).
const (
	EdgesAsserted        ChangeSource = "edges asserted"
	EdgesEnded           ChangeSource = "edges ended"
	ObservationsAsserted ChangeSource = "observations asserted"
	EntriesAsserted      ChangeSource = "entries asserted"
	EntriesEnded         ChangeSource = "entries ended"
	EntitiesMerged       ChangeSource = "entities merged"
	EntitiesUnmerged     ChangeSource = "entities unmerged"
	ContactsErased       ChangeSource = "contacts erased"
)

// ChangeSources are all sources of changes.
func ChangeSources() []ChangeSource {
	return []ChangeSource{EdgesAsserted, EdgesEnded, ObservationsAsserted, EntriesAsserted, EntriesEnded, EntitiesMerged, EntitiesUnmerged, ContactsErased}
}

// Kind is what happened to a belief.
func (s ChangeSource) Kind() ChangeKind {
	switch s {
	case EdgesEnded, EntriesEnded:
		return ChangeEnded
	case EntitiesMerged:
		return ChangeMerged
	case EntitiesUnmerged:
		return ChangeUnmerged
	case ContactsErased:
		return ChangeErased
	default:
		return ChangeAsserted
	}
}

// ChangeMark is a change in its place, before what it is about is looked up.
type ChangeMark struct {
	Source ChangeSource
	ID     string // of the edge, observation, entry, merge or event
	At     time.Time
	Actor  Actor
	Entity string // of merges: the entity that stayed
}

// Key tells changes of one moment apart.
func (m ChangeMark) Key() string { return string(m.Source) + " " + m.ID }

// CompareChanges orders changes newest first; those of one moment by their keys, backwards.
func CompareChanges(a, b ChangeMark) int {
	return cmp.Or(b.At.Compare(a.At), strings.Compare(b.Key(), a.Key()))
}

// ChangeRange is a stretch of changes.
type ChangeRange struct {
	Since time.Time
	Until *time.Time // not included; nil: without end
	// Before is the position behind which to begin; nil: from the newest.
	Before *ChangePosition
	// About narrows to what concerns an entity, known by these ids: its own first, then
	// those that were merged into it. Empty: everything.
	About []string
	Limit int
}

// ChangePosition is a place among changes: a moment, and the key of a change of it.
type ChangePosition struct {
	At  time.Time
	Key string
}
