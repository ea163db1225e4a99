package knowledge

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Start values and steps of an entity's confidence (SPEC A15, A16, G1, G2).
const (
	StartConfidenceAuto = 0.85
	StartConfidence     = 1.0
	ConfidenceBoost     = 0.1
	missingConfidence   = 0.5
)

// EntityMatch is which entity a draft means.
type EntityMatch struct {
	Entity        *Entity // nil: none, a new one is to be made
	Discriminator string  // of the new one
}

// MatchEntity finds the entity that a draft means among candidates of one workspace
// (SPEC A11, T7): by identity first; then by name or alias where no identity of the
// same kind differs. Candidates that share nothing with the draft do not matter.
//
// CONFLICT (identities): the identities belong to several entities, or to one of
// another type. AMBIGUOUS (name): several entities answer to the name.
func MatchEntity(candidates []*Entity, d EntityDraft) (EntityMatch, error) {
	var known, named []*Entity
	taken := false // the plain key is in use by a namesake
	key := NormalizeName(d.Name)
	for _, c := range candidates {
		if sharesIdentity(c.Identities, d.Identities) {
			known = append(known, c)
		}
		if c.TypeKey != d.Type {
			continue
		}
		namesake := c.NormalizedName == key
		taken = taken || namesake && c.Discriminator == ""
		if (namesake || answersTo(c, key)) && !identitiesDiffer(c.Identities, d.Identities) {
			named = append(named, c)
		}
	}
	switch {
	case len(known) > 1:
		return EntityMatch{}, Errorf(CodeConflict, "the identities belong to %d different entities; merge them first", len(known)).in("identities")
	case len(known) == 1 && known[0].TypeKey != d.Type:
		return EntityMatch{}, Errorf(CodeConflict, "the identity belongs to %q, which is a %s", known[0].Name, known[0].TypeKey).in("identities")
	case len(known) == 1:
		return EntityMatch{Entity: known[0]}, nil
	case len(named) == 1:
		return EntityMatch{Entity: named[0]}, nil
	case len(named) > 1:
		return EntityMatch{}, Ambiguous("name", d.Name, named)
	case taken && len(d.Identities) > 0:
		return EntityMatch{Discriminator: d.Identities[0].Kind + ":" + d.Identities[0].Value}, nil
	default:
		return EntityMatch{}, nil
	}
}

func (e *Error) in(field string) *Error {
	e.Field = field
	return e
}

// Ambiguous is the error for a reference that several entities answer to.
func Ambiguous(field, what string, candidates []*Entity) *Error {
	e := &Error{Code: CodeAmbiguous, Field: field}
	e.Message = "several entities are called " + what + "; name one by id, or give its type"
	for _, c := range candidates {
		e.Candidates = append(e.Candidates, Candidate{ID: c.ID, Name: c.Name, Type: c.TypeKey})
	}
	slices.SortFunc(e.Candidates, func(a, b Candidate) int { return strings.Compare(a.ID, b.ID) })
	return e
}

func answersTo(e *Entity, key string) bool {
	return slices.ContainsFunc(e.Aliases, func(alias string) bool { return NormalizeName(alias) == key })
}

func sharesIdentity(a, b []ContactIdentity) bool {
	return slices.ContainsFunc(a, func(i ContactIdentity) bool { return slices.Contains(b, i) })
}

// identitiesDiffer tells whether two sets have a kind in common, but no value of it.
func identitiesDiffer(a, b []ContactIdentity) bool {
	for _, x := range a {
		same, kind := false, false
		for _, y := range b {
			if x.Kind == y.Kind {
				kind = true
				same = same || slices.Contains(a, y)
			}
		}
		if kind && !same {
			return true
		}
	}
	return false
}

// NewEntity is the entity that a draft makes where nothing matches (SPEC A15).
func NewEntity(d EntityDraft, id, workspaceID, discriminator string, now time.Time) *Entity {
	e := &Entity{
		ID: id, WorkspaceID: workspaceID, TypeKey: d.Type, Name: d.Name, NormalizedName: NormalizeName(d.Name), Discriminator: discriminator,
		Slug: Slug(d.Name), Identities: d.Identities, Properties: withoutNulls(d.Properties), Source: d.Source,
		CreatedAt: now, UpdatedAt: now, LastSeenAt: now,
	}
	e.Aliases = aliasesWith(e, d.Aliases)
	switch {
	case d.Confidence != nil:
		e.Confidence = *d.Confidence
	case d.Source == ActorAuto:
		e.Confidence = StartConfidenceAuto
	default:
		e.Confidence = StartConfidence
	}
	if d.Description != nil && *d.Description != "" {
		e.Description, e.DescriptionSource = d.Description, &d.Source
	}
	if d.TaskID != "" {
		e.TaskID = &d.TaskID
	}
	return e
}

// MergeEntity is a stored entity after a draft that means it (SPEC A12, A16–A19,
// A21–A23). It gives a new value; kept tells that a stronger writer's description
// stood against the draft's.
func MergeEntity(current *Entity, d EntityDraft, now time.Time) (merged *Entity, kept bool) {
	m := *current
	m.Confidence = Boosted(current.Confidence)
	m.Description, m.DescriptionSource, kept = mergedDescription(current, d)
	m.Properties = mergedProperties(current, d)
	m.Source = Stronger(current.Source, d.Source)
	m.Identities = identitiesWith(current.Identities, d.Identities)
	aliases := d.Aliases
	if key := NormalizeName(d.Name); key != m.NormalizedName && !slices.ContainsFunc(m.Identities, func(i ContactIdentity) bool { return i.Value == key }) {
		aliases = append(slices.Clone(aliases), d.Name)
	}
	m.Aliases = aliasesWith(current, aliases)
	m.UpdatedAt, m.LastSeenAt = now, now
	return &m, kept
}

// Boosted is a confidence after one more confirmation (SPEC A16, G2).
func Boosted(confidence float64) float64 {
	if confidence == 0 {
		confidence = missingConfidence
	}
	return clamp01(confidence + ConfidenceBoost)
}

// mayDescribe tells whether a writer may replace an entity's description (SPEC A17, A21).
func mayDescribe(current *Entity, by Actor) bool {
	if current.Description == nil || *current.Description == "" {
		return true
	}
	owner := current.Source
	if current.DescriptionSource != nil {
		owner = *current.DescriptionSource
	}
	return by.Rank() >= owner.Rank()
}

func mergedDescription(current *Entity, d EntityDraft) (*string, *Actor, bool) {
	if d.Description == nil || *d.Description == "" || current.Description != nil && *current.Description == *d.Description {
		return current.Description, current.DescriptionSource, false
	}
	if !mayDescribe(current, d.Source) {
		return current.Description, current.DescriptionSource, true
	}
	return d.Description, &d.Source, false
}

// mergedProperties merges key by key; who wins a conflict is the writer's or the
// stored source, whichever ranks higher, the writer on a tie (SPEC A18, A22).
func mergedProperties(current *Entity, d EntityDraft) map[string]any {
	incoming := withoutNulls(d.Properties)
	if len(incoming) == 0 {
		return current.Properties
	}
	weaker, stronger := current.Properties, incoming
	if d.Source.Rank() < current.Source.Rank() {
		weaker, stronger = incoming, current.Properties
	}
	out := maps.Clone(weaker)
	if out == nil {
		out = map[string]any{}
	}
	maps.Copy(out, stronger)
	return out
}

func withoutNulls(properties map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range properties {
		if value != nil {
			out[key] = value
		}
	}
	return out
}

func identitiesWith(have, more []ContactIdentity) []ContactIdentity {
	out := slices.Clone(have)
	for _, i := range more {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// aliasesWith adds names that the entity does not answer to yet.
func aliasesWith(e *Entity, more []string) []string {
	out := slices.Clone(e.Aliases)
	known := map[string]bool{e.NormalizedName: true}
	for _, alias := range out {
		known[NormalizeName(alias)] = true
	}
	for _, alias := range more {
		if key := NormalizeName(alias); !known[key] {
			known[key] = true
			out = append(out, alias)
		}
	}
	return out
}

// PatchEntity is a stored entity after an edit by id (SPEC A24, A25); kept tells that a
// stronger writer's description stood against the patch's.
func PatchEntity(current *Entity, p EntityPatch, now time.Time) (patched *Entity, kept bool) {
	m := *current
	if p.Type != nil {
		m.TypeKey = *p.Type
	}
	if p.Aliases != nil {
		m.Aliases = aliasesWith(&Entity{NormalizedName: current.NormalizedName}, *p.Aliases)
	}
	if p.Name != nil && *p.Name != current.Name {
		m.Name, m.NormalizedName, m.Slug = *p.Name, NormalizeName(*p.Name), Slug(*p.Name)
		m.Aliases = slices.DeleteFunc(slices.Clone(m.Aliases), func(alias string) bool { return NormalizeName(alias) == m.NormalizedName })
		if m.NormalizedName != current.NormalizedName {
			m.Aliases = aliasesWith(&m, []string{current.Name})
		}
	}
	if p.Description != nil {
		if !mayDescribe(current, p.Source) {
			kept = *p.Description != *current.Description
		} else {
			m.Description, m.DescriptionSource = p.Description, &p.Source
			if *p.Description == "" {
				m.Description, m.DescriptionSource = nil, nil
			}
		}
	}
	m.Properties = maps.Clone(current.Properties)
	for key, value := range p.Properties {
		if m.Properties == nil {
			m.Properties = map[string]any{}
		}
		m.Properties[key] = value
		if value == nil {
			delete(m.Properties, key)
		}
	}
	if p.Confidence != nil {
		m.Confidence = *p.Confidence
	}
	m.Source = Stronger(current.Source, p.Source)
	m.UpdatedAt, m.LastSeenAt = now, now
	return &m, kept
}
