package knowledge

import "time"

// EdgeType is a kind of edge as one workspace sees it.
type EdgeType struct {
	WorkspaceID  string
	Key          string
	BuiltIn      bool
	SingleValued bool
	Symmetric    bool
	InverseLabel *string
}

// Edge is a directed, typed connection of two entities that says when it was
// true (valid time) and when this graph was told (transaction time).
type Edge struct {
	ID            string
	WorkspaceID   string
	FromID        string
	ToID          string
	Type          string
	Fact          string
	Properties    map[string]any
	Confidence    float64
	Weight        float64
	Source        Actor
	ValidFrom     *time.Time
	ValidTo       *time.Time
	CreatedAt     time.Time
	InvalidatedAt *time.Time // when this graph was told of the end that ValidTo gives; nil: with the edge itself
	PriorEnds     []PriorEnd // the ends that were believed before, oldest first
}

// PriorEnd is an end that was believed from TellAt until it was replaced; a nil At was open.
type PriorEnd struct {
	At     *time.Time
	ToldAt time.Time
}

// TimePoint is a moment in both times. Zero fields mean now.
type TimePoint struct {
	AsOf           *time.Time
	KnownAt        *time.Time
	IncludeHistory bool
}

// Direction is the way an edge is walked, seen from the near entity.
type Direction string

// Directions of a walk.
const (
	Outgoing Direction = "outgoing"
	Incoming Direction = "incoming"
	Both     Direction = "both"
)

// EdgeDraft is what a writer says of a connection.
type EdgeDraft struct {
	From       EntityRef
	To         EntityRef
	Type       string
	Fact       string
	Properties map[string]any
	Confidence *float64
	ValidFrom  *time.Time
	ValidTo    *time.Time
	DocID      string
	TaskID     string
	Source     Actor
}

// EdgeAssert is what became of an edge draft.
type EdgeAssert struct {
	Edge       *Edge
	Created    bool
	Superseded []*Edge
}

// EdgeEnd names an edge to end: by id, or by its ends and type (the current one).
type EdgeEnd struct {
	ID      string
	From    *EntityRef
	To      *EntityRef
	Type    string
	ValidTo *time.Time
}

// Support is one thing that a fact rests on.
type Support struct {
	WorkspaceID string
	EntryID     *string
	Quote       *string
	DocID       *string
	TaskID      *string
	MessageID   *string
	Source      Actor
	AddedAt     time.Time
}

// Neighbor is an entity near another one, with the shortest way to it.
type Neighbor struct {
	Entity *Entity
	Hops   int
	Path   []*Edge
}

// Neighborhood is what a walk reached, nearest first.
type Neighborhood struct {
	Nodes     []*Neighbor
	Truncated bool
}

// Subgraph is a set of entities and the edges between them.
type Subgraph struct {
	Entities  []*Entity
	Edges     []*Edge
	Truncated bool
	Missing   []string
}

// Path is a loop-free way between two entities; its edges keep their own direction.
type Path struct {
	Entities []*Entity
	Edges    []*Edge
}

// Hops is the number of edges of the path.
func (p *Path) Hops() int { return len(p.Edges) }

// Supported is a kind of thing that rests on supports.
type Supported string

// What can rest on documents, tasks and messages (SPEC T5).
const (
	SupportedEntity      Supported = "Entity"
	SupportedFact        Supported = "Fact"
	SupportedObservation Supported = "Observation"
	SupportedEntry       Supported = "Entry"
)

// Supporter is a kind of thing that others rest on.
type Supporter string

// Supporters (SPEC T5).
const (
	SupporterDocument Supporter = "Document"
	SupporterTask     Supporter = "Task"
	SupporterMessage  Supporter = "Message"
)

// SupportAdd says that a stored thing rests on a document, a task, a message, or several of them.
// With none of them it rests on its writer's word.
type SupportAdd struct {
	Kind      Supported
	ID        string
	DocID     string
	TaskID    string
	MessageID string
	Quote     string
	Source    Actor
	At        time.Time
}

// Walk says which edges are followed, and which way.
type Walk struct {
	Types     []string // keys; none: all
	Direction Direction
	Symmetric []string // of the types that are followed, those that go both ways; only where Direction is not Both
	At        TimePoint
	Now       time.Time
	Scope     Scope // whose edges may be seen; zero: everything
}

// Step is an edge as it is walked: from the entity that was reached already to another.
// An edge that is not whole has its id, ends, confidence and creation time only.
type Step struct {
	Near, Far string
	FarType   string
	Edge      *Edge
	Whole     bool
}

// StepLimits bound one hop of a walk. Whole asks for the edges with all that they have.
type StepLimits struct {
	EachEntity int
	All        int
	Whole      bool
}

// EdgePosition is a place in a list of edges that is ordered by confidence, creation time and id.
type EdgePosition struct {
	Confidence float64
	CreatedAt  time.Time
	ID         string
}
