package knowledge

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxMerged is how many entities one merge takes in.
const MaxMerged = 50

// JoinEntities is the entity that stays after others became part of it (SPEC H9, A13,
// T6). Nothing is changed in place; the order of merged breaks ties.
func JoinEntities(keep *Entity, merged []*Entity) *Entity {
	all := append([]*Entity{keep}, merged...)
	out := *keep
	out.Name = joinedName(keep, merged)
	out.Description, out.DescriptionSource = bestDescription(all)
	out.Properties = joinedProperties(all)
	for _, e := range merged {
		out.Source = Stronger(out.Source, e.Source)
		out.Confidence = max(out.Confidence, e.Confidence)
		out.CreatedAt = earlier(out.CreatedAt, e.CreatedAt)
		out.UpdatedAt, out.LastSeenAt = later(out.UpdatedAt, e.UpdatedAt), later(out.LastSeenAt, e.LastSeenAt)
		out.Identities = identitiesWith(out.Identities, e.Identities)
		out.Aliases = aliasesWith(&out, append([]string{e.Name}, e.Aliases...))
		if out.TaskID == nil {
			out.TaskID = e.TaskID
		}
	}
	return &out
}

// joinedName re-cases the name of the entity that stays: to the canonical spelling of a
// known technology, or away from all lower case where another has capitals (SPEC A13).
// It never takes another name: that one becomes an alias.
func joinedName(keep *Entity, merged []*Entity) string {
	if keep.TypeKey == "technology" {
		if canonical, ok := CanonicalTechnology(keep.Name); ok && NormalizeName(canonical) == keep.NormalizedName {
			return canonical
		}
	}
	if hasCapitals(keep.Name) {
		return keep.Name
	}
	for _, e := range merged {
		if e.NormalizedName == keep.NormalizedName && hasCapitals(e.Name) {
			return e.Name
		}
	}
	return keep.Name
}

func hasCapitals(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsTitle(r) })
}

// bestDescription is that of the strongest writer; of equals the first entity's own, then the longest.
func bestDescription(all []*Entity) (*string, *Actor) {
	var best *Entity
	for _, e := range all {
		if e.Description == nil || *e.Description == "" {
			continue
		}
		if best == nil || describedBy(e).Rank() > describedBy(best).Rank() ||
			describedBy(e).Rank() == describedBy(best).Rank() && best != all[0] && utf8.RuneCountInString(*e.Description) > utf8.RuneCountInString(*best.Description) {
			best = e
		}
	}
	if best == nil {
		return nil, nil
	}
	return best.Description, best.DescriptionSource
}

// describedBy is the writer of an entity's description, the entity's own source where none is noted (SPEC A17).
func describedBy(e *Entity) Actor {
	if e.DescriptionSource != nil {
		return *e.DescriptionSource
	}
	return e.Source
}

// joinedProperties lets the stronger source win each key, and of equals the earlier entity.
func joinedProperties(all []*Entity) map[string]any {
	sorted := slices.Clone(all)
	slices.Reverse(sorted)
	slices.SortStableFunc(sorted, func(a, b *Entity) int { return cmp.Compare(a.Source.Rank(), b.Source.Rank()) })
	out := map[string]any{}
	for _, e := range sorted {
		maps.Copy(out, e.Properties)
	}
	return out
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
