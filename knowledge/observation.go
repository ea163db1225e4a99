package knowledge

import "time"

// NewObservation is the remark that a checked draft asks for, told now (SPEC C1, C2, C7).
func NewObservation(d ObservationDraft, id string, about *Entity, now time.Time) *Observation {
	o := &Observation{
		ID: id, WorkspaceID: about.WorkspaceID, EntityID: about.ID, Text: d.Text, Source: d.Source, Fingerprint: d.Fingerprint,
		ObservedAt: now, CreatedAt: now,
	}
	if d.ObservedAt != nil {
		o.ObservedAt = *d.ObservedAt
	}
	return o
}

// ObservationBook decides on remarks one after the other: each against what is stored
// and against what was added before it (SPEC C3, C4).
type ObservationBook struct {
	byPrint map[[2]string]*Observation // by entity and fingerprint, given or of the content
	writes  ObservationWrites
	created map[string]int // index in writes.Created, by id
}

// ObservationWrites are changes of observations that are stored together.
type ObservationWrites struct {
	Created  []ObservationCreated
	Raised   []*Observation // those whose source a stronger writer took over
	Touched  []string       // entities that got a new observation (SPEC C5)
	SeenAt   time.Time
	touching map[string]bool
}

// ObservationCreated is a new observation.
type ObservationCreated struct {
	Observation *Observation
	Direct      bool // it rests on its writer's word: neither a document nor a task was named
}

// NewObservationBook begins with what is stored, oldest first.
func NewObservationBook(stored []*Observation) *ObservationBook {
	b := &ObservationBook{byPrint: map[[2]string]*Observation{}, created: map[string]int{}}
	b.writes.touching = map[string]bool{}
	for _, o := range stored {
		b.keep(o)
	}
	return b
}

func (b *ObservationBook) keep(o *Observation) {
	for _, fingerprint := range []string{o.Fingerprint, ContentFingerprint(o.Text)} {
		if key := [2]string{o.EntityID, fingerprint}; b.byPrint[key] == nil {
			b.byPrint[key] = o
		}
	}
}

// Add takes a remark, or finds the oldest one that is equal: by its fingerprint or by
// its content. A stronger writer takes over the source of what it finds.
func (b *ObservationBook) Add(o *Observation) (*Observation, bool) {
	match := older(b.byPrint[[2]string{o.EntityID, o.Fingerprint}], b.byPrint[[2]string{o.EntityID, ContentFingerprint(o.Text)}])
	if match == nil {
		b.keep(o)
		b.created[o.ID] = len(b.writes.Created)
		b.writes.Created = append(b.writes.Created, ObservationCreated{Observation: o})
		if !b.writes.touching[o.EntityID] {
			b.writes.touching[o.EntityID] = true
			b.writes.Touched = append(b.writes.Touched, o.EntityID)
		}
		return o, true
	}
	if o.Source.Rank() > match.Source.Rank() {
		match.Source = o.Source
		if _, fresh := b.created[match.ID]; !fresh {
			b.writes.Raised = append(b.writes.Raised, match)
		}
	}
	return match, false
}

// Direct notes that a new remark rests on its writer's word.
func (b *ObservationBook) Direct(id string) { b.writes.Created[b.created[id]].Direct = true }

// Writes are the changes that were decided.
func (b *ObservationBook) Writes(now time.Time) ObservationWrites {
	b.writes.SeenAt = now
	return b.writes
}

func older(a, b *Observation) *Observation {
	switch {
	case a == nil:
		return b
	case b == nil, a.CreatedAt.Before(b.CreatedAt), a.CreatedAt.Equal(b.CreatedAt) && a.ID <= b.ID:
		return a
	default:
		return b
	}
}

// ObservationPosition is a place in a list of observations, newest first.
type ObservationPosition struct {
	ObservedAt time.Time
	ID         string
}

// Caption is a text as a short name, as Neo4j Browser shows it: its first words, at
// most 60 characters (SPEC T20).
func Caption(text string) string {
	const most = 60
	text = CollapseSpace(text)
	short := truncateRunes(text, most)
	if short == text {
		return text
	}
	return truncateRunes(text, most-1) + "…"
}
