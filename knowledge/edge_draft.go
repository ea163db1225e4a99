package knowledge

import (
	"strings"
	"time"
)

// Checked is the draft in normal form: the type's key, trimmed texts, times as they are
// stored. Its errors name the fields of the input.
func (d EdgeDraft) Checked() (EdgeDraft, error) {
	var err error
	if d.From, err = d.From.Checked("from"); err != nil {
		return d, err
	}
	if d.To, err = d.To.Checked("to"); err != nil {
		return d, err
	}
	if err := CheckText("type", d.Type, MaxNameLength); err != nil {
		return d, err
	}
	d.Type = EdgeTypeKey(d.Type)
	d.Fact = strings.TrimSpace(d.Fact)
	if err := CheckText("fact", d.Fact, MaxTextLength); err != nil {
		return d, err
	}
	if d.Confidence != nil {
		if err := CheckConfidence("confidence", *d.Confidence); err != nil {
			return d, err
		}
	}
	if err := CheckProperties("properties", d.Properties); err != nil {
		return d, err
	}
	d.ValidFrom, d.ValidTo = MomentOf(d.ValidFrom), MomentOf(d.ValidTo)
	return d, checkOrigin(d.DocID, d.TaskID)
}

// Checked is the end in normal form; INVALID_INPUT where it names an edge neither by id
// nor by its ends and type, or both ways.
func (e EdgeEnd) Checked() (EdgeEnd, error) {
	byEnds := e.From != nil || e.To != nil || e.Type != ""
	if (e.ID != "") == byEnds {
		return e, Invalid("id", "give either id, or from, to and type")
	}
	e.ValidTo = MomentOf(e.ValidTo)
	if !byEnds {
		return e, CheckID("id", e.ID)
	}
	for field, ref := range map[string]**EntityRef{"from": &e.From, "to": &e.To} {
		if *ref == nil {
			return e, Invalid(field, "give from, to and type together")
		}
		checked, err := (*ref).Checked(field)
		if err != nil {
			return e, err
		}
		*ref = &checked
	}
	if err := CheckText("type", e.Type, MaxNameLength); err != nil {
		return e, err
	}
	if e.Type == "" {
		return e, Invalid("type", "give from, to and type together")
	}
	e.Type = EdgeTypeKey(e.Type)
	return e, nil
}

// NewEdge is the edge that a checked draft asks for, told now (SPEC B3, B4, T23).
func NewEdge(d EdgeDraft, id string, from, to *Entity, now time.Time) *Edge {
	e := &Edge{
		ID: id, WorkspaceID: from.WorkspaceID, FromID: from.ID, ToID: to.ID, Type: d.Type, Fact: d.Fact, Properties: d.Properties,
		Confidence: 1, Weight: 1, Source: d.Source, ValidFrom: d.ValidFrom, ValidTo: d.ValidTo, CreatedAt: now,
	}
	if e.Fact == "" {
		e.Fact = FactSentence(from.Name, d.Type, to.Name)
	}
	if e.Properties == nil {
		e.Properties = map[string]any{}
	}
	if d.Confidence != nil {
		e.Confidence = *d.Confidence
	}
	if e.ValidFrom == nil {
		e.ValidFrom = &now
	}
	return e
}

// EdgeTypeFilter is a filter by edge types in normal form, each once (SPEC B2, B20).
func EdgeTypeFilter(field string, types []string) ([]string, error) {
	var keys []string
	seen := map[string]bool{}
	for _, t := range types {
		if err := CheckText(field, t, MaxNameLength); err != nil {
			return nil, err
		}
		if key := EdgeTypeKey(t); !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	if len(keys) > MaxEdgeTypeFilter {
		return nil, Limit(field, "has more than %d types", MaxEdgeTypeFilter)
	}
	return keys, nil
}

// Checked is the draft in normal form; its errors name the fields of the input.
func (d ObservationDraft) Checked() (ObservationDraft, error) {
	var err error
	if d.Entity, err = d.Entity.Checked("entity"); err != nil {
		return d, err
	}
	if d.Text = strings.TrimSpace(d.Text); d.Text == "" {
		return d, Invalid("text", "must not be empty")
	}
	if err := CheckText("text", d.Text, MaxTextLength); err != nil {
		return d, err
	}
	if err := CheckText("fingerprint", d.Fingerprint, MaxTextLength); err != nil {
		return d, err
	}
	d.Fingerprint = Fingerprint(d.Fingerprint, d.Text)
	d.ObservedAt = MomentOf(d.ObservedAt)
	return d, checkOrigin(d.DocID, d.TaskID)
}
