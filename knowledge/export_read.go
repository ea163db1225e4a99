package knowledge

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Shape of an id: a prefix, an underscore and a ULID, whose first ten characters are a time.
const (
	idLength     = 26
	idTimeLength = 10
)

// idAlphabet is Crockford's base 32, as ULIDs are written, in lower case.
var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// IsID tells whether a text has the form of an id of a kind.
func IsID(prefix, id string) bool {
	rest, ok := strings.CutPrefix(id, prefix+"_")
	return ok && len(rest) == idLength && strings.Trim(rest, "0123456789abcdefghjkmnpqrstvwxyz") == ""
}

// MappedID is the id that a thing gets in a workspace where its own is taken, or is none:
// the same every time, and of the same time where it has one (SPEC O18).
func MappedID(prefix, workspaceID, id string) string {
	sum := sha256.Sum256([]byte(workspaceID + "\x00" + id))
	text := idAlphabet.EncodeToString(sum[:])[:idLength]
	if IsID(prefix, id) {
		text = id[len(prefix)+1:][:idTimeLength] + text[idTimeLength:]
	} else {
		text = "0" + text[1:] // the first character of a ULID is 7 at most
	}
	return prefix + "_" + text
}

// Entity is the entity that an export says, for a workspace. What follows from its name
// is made anew. INVALID_INPUT and LIMIT_EXCEEDED name the field.
func (x ExportedEntity) Entity(workspaceID string) (*Entity, error) {
	d, err := EntityDraft{Type: x.Type, Name: x.Name, Description: x.Description, Properties: x.Properties, Confidence: &x.Confidence}.Checked()
	if err != nil {
		return nil, err
	}
	// Merges give an entity more aliases and identities than one write may have.
	for names := range slices.Chunk(x.Aliases, MaxTags) {
		if _, err := checkedAliases(names); err != nil {
			return nil, err
		}
	}
	for i, identity := range x.Identities {
		checked, err := ContactIdentity(identity).Checked(fmt.Sprintf("identities.%d", i))
		if err != nil {
			return nil, err
		}
		d.Identities = append(d.Identities, checked)
	}
	e := &Entity{
		ID: x.ID, WorkspaceID: workspaceID, TypeKey: d.Type, Name: x.Name, NormalizedName: NormalizeName(x.Name), Discriminator: x.Discriminator,
		Slug: Slug(x.Name), Aliases: listOf(x.Aliases), Identities: d.Identities, Description: x.Description, Properties: objectOf(x.Properties),
		Confidence: x.Confidence, TaskID: x.TaskID, CreatedAt: Moment(x.CreatedAt), UpdatedAt: Moment(x.UpdatedAt), LastSeenAt: Moment(x.LastSeenAt),
	}
	if err := CheckID("id", x.ID); err != nil {
		return nil, err
	}
	if err := CheckText("discriminator", x.Discriminator, MaxNameLength); err != nil {
		return nil, err
	}
	if e.Source, err = importActor("source", x.Source); err != nil {
		return nil, err
	}
	if x.DescriptionSource != nil {
		source, err := importActor("descriptionSource", *x.DescriptionSource)
		if err != nil {
			return nil, err
		}
		e.DescriptionSource = &source
	}
	return e, importTimes(map[string]time.Time{"createdAt": x.CreatedAt, "updatedAt": x.UpdatedAt, "lastSeenAt": x.LastSeenAt})
}

// Edge is the edge that an export says, between the entities that the ids name.
func (x ExportedEdge) Edge(workspaceID string) (*Edge, error) {
	d, err := EdgeDraft{From: EntityRef{ID: x.From}, To: EntityRef{ID: x.To}, Type: x.Type, Fact: x.Fact, Properties: x.Properties, Confidence: &x.Confidence}.Checked()
	if err != nil {
		return nil, err
	}
	if err := CheckID("id", x.ID); err != nil {
		return nil, err
	}
	if x.From == x.To {
		return nil, Invalid("to", "is the same entity as from: an edge joins two")
	}
	e := &Edge{
		ID: x.ID, WorkspaceID: workspaceID, FromID: x.From, ToID: x.To, Type: d.Type, Fact: x.Fact, Properties: x.Properties, Confidence: x.Confidence,
		Weight: x.Weight, ValidFrom: MomentOf(x.ValidFrom), ValidTo: MomentOf(x.ValidTo), CreatedAt: Moment(x.CreatedAt),
		InvalidatedAt: MomentOf(x.InvalidatedAt), PriorEnds: importPriorEnds(x.PriorEnds),
	}
	if e.Source, err = importActor("source", x.Source); err != nil {
		return nil, err
	}
	if e.ValidTo != nil && e.ValidFrom != nil && e.ValidTo.Before(*e.ValidFrom) {
		return nil, Invalid("validTo", "is before validFrom")
	}
	if e.ValidFrom == nil {
		e.ValidFrom = &e.CreatedAt // SPEC B6
	}
	return e, importTimes(map[string]time.Time{"createdAt": x.CreatedAt})
}

// Observation is the observation that an export says.
func (x ExportedObservation) Observation(workspaceID string) (*Observation, error) {
	if err := CheckID("id", x.ID); err != nil {
		return nil, err
	}
	if strings.TrimSpace(x.Text) == "" {
		return nil, Invalid("text", "must not be empty")
	}
	if err := CheckText("text", x.Text, MaxTextLength); err != nil {
		return nil, err
	}
	o := &Observation{
		ID: x.ID, WorkspaceID: workspaceID, EntityID: x.Entity, Text: x.Text, Fingerprint: Fingerprint(x.Fingerprint, x.Text),
		ObservedAt: Moment(x.ObservedAt), CreatedAt: Moment(x.CreatedAt),
	}
	var err error
	if o.Source, err = importActor("source", x.Source); err != nil {
		return nil, err
	}
	return o, importTimes(map[string]time.Time{"observedAt": x.ObservedAt, "createdAt": x.CreatedAt})
}

// Entry is the entry that an export says.
func (x ExportedEntry) Entry(workspaceID string) (*Entry, error) {
	kind, source := EntryType(strings.ToLower(x.Type)), EntrySource(strings.ToLower(x.Source))
	if err := checkKinds(&kind, &source); err != nil {
		return nil, err
	}
	if err := CheckID("id", x.ID); err != nil {
		return nil, err
	}
	if _, err := checkedTitle(x.Title); err != nil {
		return nil, err
	}
	if _, err := checkedContent(x.Content); err != nil {
		return nil, err
	}
	tags, err := checkedTags(x.Tags)
	if err != nil {
		return nil, err
	}
	for field, c := range map[string]float64{"confidence": x.Confidence, "baseConfidence": x.BaseConfidence} {
		if err := CheckConfidence(field, c); err != nil {
			return nil, err
		}
	}
	for field, id := range map[string]*string{"sourceId": x.SourceID, "threadId": x.ThreadID} {
		if id != nil {
			if err := CheckText(field, *id, MaxIDLength); err != nil {
				return nil, err
			}
		}
	}
	return &Entry{
		ID: x.ID, WorkspaceID: workspaceID, Type: kind, Title: x.Title, Content: x.Content, Source: source, SourceID: x.SourceID, ThreadID: x.ThreadID,
		Tags: tags, ContactIDs: distinct(x.Contacts), MentionIDs: distinct(x.Mentions), Confidence: x.Confidence, BaseConfidence: x.BaseConfidence,
		LastValidatedAt: Moment(x.LastValidatedAt), AccessCount: max(0, x.AccessCount), LastAccessedAt: MomentOf(x.LastAccessedAt), ExpiresAt: MomentOf(x.ExpiresAt),
		ValidFrom: MomentOf(x.ValidFrom), ValidTo: MomentOf(x.ValidTo), InvalidatedAt: MomentOf(x.InvalidatedAt), PriorEnds: importPriorEnds(x.PriorEnds),
		ContentHash: ContentHash(x.Title, x.Content), CreatedAt: Moment(x.CreatedAt), UpdatedAt: Moment(x.UpdatedAt),
	}, importTimes(map[string]time.Time{"createdAt": x.CreatedAt, "updatedAt": x.UpdatedAt, "lastValidatedAt": x.LastValidatedAt})
}

// Relation is the relation that an export says.
func (x ExportedRelation) Relation(workspaceID string) (*Relation, error) {
	rationale := ""
	if x.Rationale != nil {
		rationale = *x.Rationale
	}
	d, err := RelationDraft{
		From: EntryRef{ID: x.From}, To: EntryRef{ID: x.To}, Type: RelationType(strings.ToLower(x.Type)), Confidence: x.Confidence, Weight: x.Weight, Rationale: rationale,
	}.Checked()
	if err != nil {
		return nil, err
	}
	if err := CheckID("id", x.ID); err != nil {
		return nil, err
	}
	r := &Relation{
		ID: x.ID, WorkspaceID: workspaceID, Type: d.Type, FromID: x.From, ToID: x.To, ConfidenceTag: ConfidenceTag(strings.ToLower(x.ConfidenceTag)),
		Confidence: x.Confidence, Weight: x.Weight, Provenance: Provenance(strings.ToLower(x.Provenance)), Rationale: x.Rationale, Origin: x.Origin,
		CreatedAt: Moment(x.CreatedAt), UpdatedAt: Moment(x.UpdatedAt),
	}
	if err := CheckText("origin", x.Origin, MaxIDLength); err != nil {
		return nil, err
	}
	if !slices.Contains([]ConfidenceTag{TagExtracted, TagInferred, TagAmbiguous}, r.ConfidenceTag) {
		return nil, Invalid("confidenceTag", "is not one of EXTRACTED, INFERRED, AMBIGUOUS")
	}
	if !slices.Contains([]Provenance{ProvenanceManual, ProvenanceDeterministic, ProvenanceLLM}, r.Provenance) {
		return nil, Invalid("provenance", "is not one of MANUAL, DETERMINISTIC, LLM")
	}
	return r, importTimes(map[string]time.Time{"createdAt": x.CreatedAt, "updatedAt": x.UpdatedAt})
}

// Restored is a workspace with what an export says of it, but its id and key.
func (x ExportedWorkspace) Restored(w Workspace) (*Workspace, error) {
	if err := CheckText("name", x.Name, MaxNameLength); err != nil {
		return nil, err
	}
	mode := PrivacyMode(strings.ToLower(x.Memory.PrivacyMode))
	if !slices.Contains([]PrivacyMode{PrivacyNormal, PrivacyStrict, PrivacyDisabled}, mode) {
		return nil, Invalid("memory.privacyMode", "is not one of NORMAL, STRICT, DISABLED")
	}
	w.Name, w.CreatedAt, w.Switches = x.Name, Moment(x.CreatedAt), map[FeatureName]bool{}
	w.Memory = MemorySettings{
		Enabled: x.Memory.Enabled, PrivacyMode: mode, AutoCapture: x.Memory.AutoCapture,
		TemporalKnowledge: x.Memory.TemporalKnowledge, WakeUpLayers: x.Memory.WakeUpLayers,
	}
	for name, on := range x.Features {
		feature := FeatureName(strings.ToLower(name))
		if !feature.Valid() {
			return nil, Invalid("features", "%q is not a feature", name)
		}
		w.Switches[feature] = on
	}
	return &w, importTimes(map[string]time.Time{"createdAt": x.CreatedAt})
}

// EntityType is the entity type that an export says.
func (x ExportedEntityType) EntityType(workspaceID string) (*EntityType, error) {
	key := TypeKey(x.Key)
	if key == "" {
		return nil, Invalid("key", "must not be empty")
	}
	for field, text := range map[string]*string{"key": &key, "label": &x.Label, "color": x.Color, "icon": x.Icon} {
		if text != nil {
			if err := CheckText(field, *text, MaxTagLength); err != nil {
				return nil, err
			}
		}
	}
	if x.Description != nil {
		if err := CheckText("description", *x.Description, MaxNameLength); err != nil {
			return nil, err
		}
	}
	return &EntityType{
		ID: x.ID, WorkspaceID: workspaceID, Key: key, Label: x.Label, Description: x.Description, Color: x.Color, Icon: x.Icon,
		BuiltIn: slices.ContainsFunc(BuiltInEntityTypes(), func(b BuiltInEntityType) bool { return b.Key == key }), CreatedAt: Moment(x.CreatedAt),
	}, importTimes(map[string]time.Time{"createdAt": x.CreatedAt})
}

// EdgeType is the edge type that an export says.
func (x ExportedEdgeType) EdgeType(workspaceID string) (*EdgeType, error) {
	if TypeKey(x.Key) == "" {
		return nil, Invalid("key", "must not be empty")
	}
	if x.InverseLabel != nil {
		if err := CheckText("inverseLabel", *x.InverseLabel, MaxTagLength); err != nil {
			return nil, err
		}
	}
	key := EdgeTypeKey(x.Key)
	return &EdgeType{
		WorkspaceID: workspaceID, Key: key, BuiltIn: slices.Contains(BuiltInEdgeTypes(), key), SingleValued: x.SingleValued, Symmetric: x.Symmetric, InverseLabel: x.InverseLabel,
	}, nil
}

// SupportAdds are supports of an export as they are stored.
func SupportAdds(kind Supported, id string, supports []ExportedSupport) ([]SupportAdd, error) {
	adds := make([]SupportAdd, 0, len(supports))
	for _, s := range supports {
		add := SupportAdd{Kind: kind, ID: id, At: Moment(s.AddedAt)}
		var err error
		if add.Source, err = importActor("supports.source", s.Source); err != nil {
			return nil, err
		}
		for field, part := range map[string]struct{ from, to *string }{
			"docId": {s.DocID, &add.DocID}, "taskId": {s.TaskID, &add.TaskID}, "messageId": {s.MessageID, &add.MessageID}, "quote": {s.Quote, &add.Quote},
		} {
			if part.from == nil {
				continue
			}
			limit := MaxIDLength
			if field == "quote" {
				limit = MaxTextLength
			}
			if err := CheckText("supports."+field, *part.from, limit); err != nil {
				return nil, err
			}
			*part.to = *part.from
		}
		adds = append(adds, add)
	}
	return adds, nil
}

func importActor(field, name string) (Actor, error) {
	a := Actor(strings.ToLower(name))
	if !a.Valid() {
		return "", Invalid(field, "is not one of MANUAL, AGENT, AUTO")
	}
	return a, nil
}

// importTimes rejects moments that are missing.
func importTimes(times map[string]time.Time) error {
	for _, field := range slices.Sorted(maps.Keys(times)) {
		if times[field].IsZero() {
			return Invalid(field, "is missing")
		}
	}
	return nil
}

func importPriorEnds(ends []ExportedPriorEnd) []PriorEnd {
	var out []PriorEnd
	for _, e := range ends {
		out = append(out, PriorEnd{At: MomentOf(e.At), ToldAt: Moment(e.ToldAt)})
	}
	return out
}
