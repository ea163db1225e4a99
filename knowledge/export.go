package knowledge

import (
	"slices"
	"strings"
	"time"
)

// ExportFormat is a form in which a whole graph is written.
type ExportFormat string

// Formats of exports (SPEC O17, O18).
const (
	ExportDOT     ExportFormat = "dot"
	ExportJSON    ExportFormat = "json"
	ExportMermaid ExportFormat = "mermaid"
	ExportGraphML ExportFormat = "graphml"
	ExportCypher  ExportFormat = "cypher"
)

// ExportFormats are all formats, in the order in which help names them.
func ExportFormats() []ExportFormat {
	return []ExportFormat{ExportJSON, ExportDOT, ExportMermaid, ExportGraphML, ExportCypher}
}

// ExportFormatOf reads the name of a format, in any casing; INVALID_INPUT (format) for another.
func ExportFormatOf(name string) (ExportFormat, error) {
	f := ExportFormat(strings.ToLower(strings.TrimSpace(name)))
	if !slices.Contains(ExportFormats(), f) {
		return "", Invalid("format", "%q is not one of json, dot, mermaid, graphml, cypher", name)
	}
	return f, nil
}

// MediaType is what a format is called on the web.
func (f ExportFormat) MediaType() string {
	switch f {
	case ExportJSON:
		return "application/json"
	case ExportGraphML:
		return "application/graphml+xml"
	case ExportDOT:
		return "text/vnd.graphviz; charset=utf-8"
	default:
		return "text/plain; charset=utf-8"
	}
}

// Extension is how the names of files of a format end, with the dot.
func (f ExportFormat) Extension() string {
	switch f {
	case ExportMermaid:
		return ".mmd"
	default:
		return "." + string(f)
	}
}

// ExportKind is a kind of what a workspace holds and an export lists by id.
type ExportKind string

// Kinds of exported things; the value is the label in the store.
const (
	ExportEntities     ExportKind = "Entity"
	ExportEdges        ExportKind = "Fact"
	ExportObservations ExportKind = "Observation"
	ExportEntries      ExportKind = "Entry"
	ExportRelations    ExportKind = "Relation"
)

// ExportItem is one thing of an export in JSON as it is read back: exactly one field is set.
type ExportItem struct {
	Workspace   *ExportedWorkspace
	EntityType  *ExportedEntityType
	EdgeType    *ExportedEdgeType
	Entity      *ExportedEntity
	Edge        *ExportedEdge
	Observation *ExportedObservation
	Entry       *ExportedEntry
	Relation    *ExportedRelation
	// Err says why a thing could not be read; Where names it, as in entities[3].
	Err   error
	Where string
}

// ExportedWorkspace is a workspace in a JSON export.
type ExportedWorkspace struct {
	ID        string          `json:"id"`
	Key       string          `json:"key"`
	Name      string          `json:"name"`
	Memory    ExportedMemory  `json:"memory"`
	Features  map[string]bool `json:"features"`
	CreatedAt time.Time       `json:"createdAt"`
}

// ExportedMemory are a workspace's memory settings in a JSON export.
type ExportedMemory struct {
	Enabled           bool   `json:"enabled"`
	PrivacyMode       string `json:"privacyMode"`
	AutoCapture       bool   `json:"autoCapture"`
	TemporalKnowledge bool   `json:"temporalKnowledge"`
	WakeUpLayers      bool   `json:"wakeUpLayers"`
}

// ExportedEntityType is an entity type in a JSON export.
type ExportedEntityType struct {
	ID          string    `json:"id"`
	Key         string    `json:"key"`
	Label       string    `json:"label"`
	Description *string   `json:"description"`
	Color       *string   `json:"color"`
	Icon        *string   `json:"icon"`
	BuiltIn     bool      `json:"builtIn"`
	CreatedAt   time.Time `json:"createdAt"`
}

// ExportedEdgeType is an edge type in a JSON export.
type ExportedEdgeType struct {
	Key          string  `json:"key"`
	BuiltIn      bool    `json:"builtIn"`
	SingleValued bool    `json:"singleValued"`
	Symmetric    bool    `json:"symmetric"`
	InverseLabel *string `json:"inverseLabel"`
}

// ExportedSupport is one thing that another rests on, in a JSON export. Without a
// document, task or message it is a writer's own word.
type ExportedSupport struct {
	DocID     *string   `json:"docId"`
	TaskID    *string   `json:"taskId"`
	MessageID *string   `json:"messageId"`
	Quote     *string   `json:"quote"`
	Source    string    `json:"source"`
	AddedAt   time.Time `json:"addedAt"`
}

// ExportedPriorEnd is an end that was believed before, in a JSON export; a null at was open.
type ExportedPriorEnd struct {
	At     *time.Time `json:"at"`
	ToldAt time.Time  `json:"toldAt"`
}

// ExportedIdentity is an identity in a JSON export.
type ExportedIdentity struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// ExportedEntity is an entity in a JSON export.
type ExportedEntity struct {
	ID                string             `json:"id"`
	Type              string             `json:"type"`
	Name              string             `json:"name"`
	NormalizedName    string             `json:"normalizedName"`
	Discriminator     string             `json:"discriminator"`
	Slug              string             `json:"slug"`
	Aliases           []string           `json:"aliases"`
	Identities        []ExportedIdentity `json:"identities"`
	Description       *string            `json:"description"`
	DescriptionSource *string            `json:"descriptionSource"`
	Properties        map[string]any     `json:"properties"`
	Confidence        float64            `json:"confidence"`
	Source            string             `json:"source"`
	TaskID            *string            `json:"taskId"`
	Supports          []ExportedSupport  `json:"supports"`
	CreatedAt         time.Time          `json:"createdAt"`
	UpdatedAt         time.Time          `json:"updatedAt"`
	LastSeenAt        time.Time          `json:"lastSeenAt"`
}

// ExportedEdge is an edge in a JSON export.
type ExportedEdge struct {
	ID            string             `json:"id"`
	Type          string             `json:"type"`
	From          string             `json:"from"`
	To            string             `json:"to"`
	Fact          string             `json:"fact"`
	Properties    map[string]any     `json:"properties"`
	Confidence    float64            `json:"confidence"`
	Weight        float64            `json:"weight"`
	Source        string             `json:"source"`
	Supports      []ExportedSupport  `json:"supports"`
	ValidFrom     *time.Time         `json:"validFrom"`
	ValidTo       *time.Time         `json:"validTo"`
	CreatedAt     time.Time          `json:"createdAt"`
	InvalidatedAt *time.Time         `json:"invalidatedAt"`
	PriorEnds     []ExportedPriorEnd `json:"priorEnds"`
}

// ExportedObservation is an observation in a JSON export.
type ExportedObservation struct {
	ID          string            `json:"id"`
	Entity      string            `json:"entity"`
	Text        string            `json:"text"`
	Source      string            `json:"source"`
	Fingerprint string            `json:"fingerprint"`
	Supports    []ExportedSupport `json:"supports"`
	ObservedAt  time.Time         `json:"observedAt"`
	CreatedAt   time.Time         `json:"createdAt"`
}

// ExportedEntry is an entry in a JSON export. Its vector is not part of it: whoever
// takes it in makes it anew.
type ExportedEntry struct {
	ID              string             `json:"id"`
	Type            string             `json:"type"`
	Title           string             `json:"title"`
	Content         string             `json:"content"`
	Source          string             `json:"source"`
	SourceID        *string            `json:"sourceId"`
	ThreadID        *string            `json:"threadId"`
	Tags            []string           `json:"tags"`
	Contacts        []string           `json:"contacts"`
	Mentions        []string           `json:"mentions"`
	AutoMentions    []string           `json:"autoMentions"` // of the mentions, those that were found in the text
	Confidence      float64            `json:"confidence"`
	BaseConfidence  float64            `json:"baseConfidence"`
	LastValidatedAt time.Time          `json:"lastValidatedAt"`
	AccessCount     int                `json:"accessCount"`
	LastAccessedAt  *time.Time         `json:"lastAccessedAt"`
	ExpiresAt       *time.Time         `json:"expiresAt"`
	ValidFrom       *time.Time         `json:"validFrom"`
	ValidTo         *time.Time         `json:"validTo"`
	InvalidatedAt   *time.Time         `json:"invalidatedAt"`
	PriorEnds       []ExportedPriorEnd `json:"priorEnds"`
	ContentHash     string             `json:"contentHash"`
	Supports        []ExportedSupport  `json:"supports"`
	CreatedAt       time.Time          `json:"createdAt"`
	UpdatedAt       time.Time          `json:"updatedAt"`
}

// ExportedRelation is a relation in a JSON export.
type ExportedRelation struct {
	ID            string    `json:"id"`
	Type          string    `json:"type"`
	From          string    `json:"from"`
	To            string    `json:"to"`
	ConfidenceTag string    `json:"confidenceTag"`
	Confidence    float64   `json:"confidence"`
	Weight        *float64  `json:"weight"`
	Provenance    string    `json:"provenance"`
	Rationale     *string   `json:"rationale"`
	Origin        string    `json:"origin"`
	CreatedAt     time.Time `json:"createdAt"`
	UpdatedAt     time.Time `json:"updatedAt"`
}
