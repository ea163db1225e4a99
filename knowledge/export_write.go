package knowledge

import (
	"cmp"
	"slices"
	"strings"
)

// ExportWorkspace is a workspace as a JSON export has it.
func ExportWorkspace(w *Workspace) ExportedWorkspace {
	out := ExportedWorkspace{
		ID: w.ID, Key: w.Key, Name: w.Name, CreatedAt: w.CreatedAt, Features: map[string]bool{},
		Memory: ExportedMemory{
			Enabled: w.Memory.Enabled, PrivacyMode: exportWord(w.Memory.PrivacyMode), AutoCapture: w.Memory.AutoCapture,
			TemporalKnowledge: w.Memory.TemporalKnowledge, WakeUpLayers: w.Memory.WakeUpLayers,
		},
	}
	for name, on := range w.Switches {
		out.Features[exportWord(name)] = on
	}
	return out
}

// ExportEntityType is an entity type as a JSON export has it.
func ExportEntityType(t *EntityType) ExportedEntityType {
	return ExportedEntityType{
		ID: t.ID, Key: t.Key, Label: t.Label, Description: t.Description, Color: t.Color, Icon: t.Icon, BuiltIn: t.BuiltIn, CreatedAt: t.CreatedAt,
	}
}

// ExportEdgeType is an edge type as a JSON export has it.
func ExportEdgeType(t *EdgeType) ExportedEdgeType {
	return ExportedEdgeType{Key: t.Key, BuiltIn: t.BuiltIn, SingleValued: t.SingleValued, Symmetric: t.Symmetric, InverseLabel: t.InverseLabel}
}

// ExportEntity is an entity as a JSON export has it.
func ExportEntity(e *Entity, supports []*Support) ExportedEntity {
	out := ExportedEntity{
		ID: e.ID, Type: e.TypeKey, Name: e.Name, NormalizedName: e.NormalizedName, Discriminator: e.Discriminator, Slug: e.Slug,
		Aliases: listOf(e.Aliases), Identities: make([]ExportedIdentity, 0, len(e.Identities)), Description: e.Description,
		Properties: objectOf(e.Properties), Confidence: e.Confidence, Source: exportWord(e.Source), TaskID: e.TaskID, Supports: exportSupports(supports),
		CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, LastSeenAt: e.LastSeenAt,
	}
	if e.DescriptionSource != nil {
		source := exportWord(*e.DescriptionSource)
		out.DescriptionSource = &source
	}
	for _, i := range e.Identities {
		out.Identities = append(out.Identities, ExportedIdentity(i))
	}
	slices.SortFunc(out.Identities, func(a, b ExportedIdentity) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Value, b.Value))
	})
	return out
}

// ExportEdge is an edge as a JSON export has it.
func ExportEdge(e *Edge, supports []*Support) ExportedEdge {
	return ExportedEdge{
		ID: e.ID, Type: e.Type, From: e.FromID, To: e.ToID, Fact: e.Fact, Properties: objectOf(e.Properties), Confidence: e.Confidence,
		Weight: e.Weight, Source: exportWord(e.Source), Supports: exportSupports(supports), ValidFrom: e.ValidFrom, ValidTo: e.ValidTo,
		CreatedAt: e.CreatedAt, InvalidatedAt: e.InvalidatedAt, PriorEnds: exportPriorEnds(e.PriorEnds),
	}
}

// ExportObservation is an observation as a JSON export has it.
func ExportObservation(o *Observation, supports []*Support) ExportedObservation {
	return ExportedObservation{
		ID: o.ID, Entity: o.EntityID, Text: o.Text, Source: exportWord(o.Source), Fingerprint: o.Fingerprint, Supports: exportSupports(supports),
		ObservedAt: o.ObservedAt, CreatedAt: o.CreatedAt,
	}
}

// ExportEntry is an entry as a JSON export has it; auto are the mentions that were found in its text.
func ExportEntry(e *Entry, auto []string, supports []*Support) ExportedEntry {
	return ExportedEntry{
		ID: e.ID, Type: exportWord(e.Type), Title: e.Title, Content: e.Content, Source: exportWord(e.Source), SourceID: e.SourceID, ThreadID: e.ThreadID,
		Tags: listOf(e.Tags), Contacts: listOf(e.ContactIDs), Mentions: sortedList(e.MentionIDs), AutoMentions: sortedList(auto),
		Confidence: e.Confidence, BaseConfidence: e.BaseConfidence, LastValidatedAt: e.LastValidatedAt, AccessCount: e.AccessCount,
		LastAccessedAt: e.LastAccessedAt, ExpiresAt: e.ExpiresAt, ValidFrom: e.ValidFrom, ValidTo: e.ValidTo, InvalidatedAt: e.InvalidatedAt,
		PriorEnds: exportPriorEnds(e.PriorEnds), ContentHash: e.ContentHash, Supports: exportSupports(supports), CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	}
}

// ExportRelation is a relation as a JSON export has it.
func ExportRelation(r *Relation) ExportedRelation {
	return ExportedRelation{
		ID: r.ID, Type: exportWord(r.Type), From: r.FromID, To: r.ToID, ConfidenceTag: exportWord(r.ConfidenceTag), Confidence: r.Confidence,
		Weight: r.Weight, Provenance: exportWord(r.Provenance), Rationale: r.Rationale, Origin: r.Origin, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// exportWord is a word of a closed list as the API writes it.
func exportWord[T ~string](word T) string { return strings.ToUpper(string(word)) }

// exportSupports are supports in an order that does not depend on the store.
func exportSupports(supports []*Support) []ExportedSupport {
	out := make([]ExportedSupport, 0, len(supports))
	for _, s := range supports {
		out = append(out, ExportedSupport{
			DocID: s.DocID, TaskID: s.TaskID, MessageID: s.MessageID, Quote: s.Quote, Source: exportWord(s.Source), AddedAt: s.AddedAt,
		})
	}
	slices.SortFunc(out, func(a, b ExportedSupport) int {
		return cmp.Or(a.AddedAt.Compare(b.AddedAt), compareOptional(a.DocID, b.DocID), compareOptional(a.TaskID, b.TaskID), compareOptional(a.MessageID, b.MessageID))
	})
	return out
}

// compareOptional orders optional texts: what is missing comes first.
func compareOptional(a, b *string) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	default:
		return strings.Compare(*a, *b)
	}
}

func exportPriorEnds(ends []PriorEnd) []ExportedPriorEnd {
	out := make([]ExportedPriorEnd, 0, len(ends))
	for _, e := range ends {
		out = append(out, ExportedPriorEnd(e))
	}
	return out
}

func listOf(list []string) []string { return append([]string{}, list...) }

func sortedList(list []string) []string {
	out := listOf(list)
	slices.Sort(out)
	return out
}

func objectOf(object map[string]any) map[string]any {
	if object == nil {
		return map[string]any{}
	}
	return object
}
