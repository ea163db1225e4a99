package knowledge

import "time"

// EntryType is the kind of a piece of knowledge.
type EntryType string

// Kinds of knowledge (SPEC K1).
const (
	EntryFact         EntryType = "fact"
	EntryDecision     EntryType = "decision"
	EntryEvent        EntryType = "event"
	EntryPreference   EntryType = "preference"
	EntryGoal         EntryType = "goal"
	EntryRelationship EntryType = "relationship"
	EntryActionItem   EntryType = "action_item"
)

// EntrySource is where a piece of knowledge came from.
type EntrySource string

// Sources of knowledge (SPEC K2).
const (
	SourceEmail          EntrySource = "email"
	SourceChat           EntrySource = "chat"
	SourceManual         EntrySource = "manual"
	SourceFileText       EntrySource = "file"
	SourceAgentExtracted EntrySource = "agent_extracted"
)

// Entry is a piece of knowledge: what was said, about whom, how sure, since when.
type Entry struct {
	ID              string
	WorkspaceID     string
	Type            EntryType
	Title           string
	Content         string
	Source          EntrySource
	SourceID        *string
	ThreadID        *string
	Tags            []string
	ContactIDs      []string
	MentionIDs      []string
	Confidence      float64
	BaseConfidence  float64 // the confidence at last validation, from which it decays (SPEC G14)
	LastValidatedAt time.Time
	AccessCount     int
	LastAccessedAt  *time.Time
	ExpiresAt       *time.Time
	ValidFrom       *time.Time
	ValidTo         *time.Time
	InvalidatedAt   *time.Time
	PriorEnds       []PriorEnd
	ContentHash     string
	Joined          JoinedParts // of an entry that took up others (SPEC N7)
	Embedding       *EmbeddingInfo
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// EmbeddingInfo says which model made an entry's vector, and when.
type EmbeddingInfo struct {
	Model       string
	Key         string // of the model: EmbeddingModel.Key
	Dimensions  int
	GeneratedAt time.Time
	Stale       bool
}

// EntryDraft is a piece of knowledge to be saved.
type EntryDraft struct {
	Type       EntryType
	Title      string
	Content    string
	Source     EntrySource
	SourceID   string
	ThreadID   string
	Confidence float64
	Tags       []string
	Contacts   []EntityRef
	Mentions   []EntityRef
	ExpiresAt  *time.Time
	// ExpiresInDays counts from the moment of writing; only one of the two may be given.
	ExpiresInDays *float64
	ValidFrom     *time.Time
	ValidTo       *time.Time
	DocID         string
	TaskID        string
	// Embedding: nil is computed by the server, empty is none.
	Embedding *[]float32
}

// EntryPatch changes an entry; nil leaves a part as it is.
type EntryPatch struct {
	ID            string
	Type          *EntryType
	Title         *string
	Content       *string
	Confidence    *float64
	Tags          *[]string
	Source        *EntrySource
	Contacts      *[]EntityRef
	Mentions      *[]EntityRef
	ExpiresAt     **time.Time // outer nil: unchanged; inner nil: never
	ExpiresInDays *float64
}

// EntrySave is what became of an entry draft.
type EntrySave struct {
	Entry   *Entry
	Created bool
	Merged  bool
}

// EntryFilter narrows a list of entries; zero values do not narrow.
type EntryFilter struct {
	Types          []EntryType
	Sources        []EntrySource
	Contact        *EntityRef
	ThreadID       string
	SourceID       string
	Tags           []string
	MinConfidence  *float64
	CreatedAfter   *time.Time
	CreatedBefore  *time.Time
	IncludeExpired bool
}

// RelationType is how one entry bears on another.
type RelationType string

// Relation types (SPEC K12), read from "from" to "to".
const (
	RelationSupports    RelationType = "supports"
	RelationContradicts RelationType = "contradicts"
	RelationSupersedes  RelationType = "supersedes"
	RelationRelatesTo   RelationType = "relates_to"
	RelationCauses      RelationType = "causes"
	RelationBlocks      RelationType = "blocks"
)

// Provenance is who joined two entries.
type Provenance string

// Provenances, weakest first (SPEC K17).
const (
	ProvenanceLLM           Provenance = "llm"
	ProvenanceDeterministic Provenance = "deterministic"
	ProvenanceManual        Provenance = "manual"
)

// ConfidenceTag is how a relation is known.
type ConfidenceTag string

// Confidence tags, weakest first (SPEC K17, K18).
const (
	TagAmbiguous ConfidenceTag = "ambiguous"
	TagInferred  ConfidenceTag = "inferred"
	TagExtracted ConfidenceTag = "extracted"
)

// Relation is a typed, directed connection of two entries.
type Relation struct {
	ID            string
	WorkspaceID   string
	Type          RelationType
	FromID        string
	ToID          string
	ConfidenceTag ConfidenceTag
	Confidence    float64
	Weight        *float64
	Provenance    Provenance
	Rationale     *string
	Origin        string // what made it and may take it back as a whole; empty: nothing
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// EntryRef names an entry: exactly one of ID and SourceID.
type EntryRef struct {
	ID       string
	SourceID string
}

// RelationDraft is a relation to be made.
type RelationDraft struct {
	From       EntryRef
	To         EntryRef
	Type       RelationType
	Confidence float64
	Weight     *float64
	Rationale  string
}

// RelationSave is what became of a relation draft.
type RelationSave struct {
	Relation *Relation
	Created  bool
}
