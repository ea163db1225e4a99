package knowledge

import "time"

// EntityType is a kind of entity in one workspace.
type EntityType struct {
	ID          string
	WorkspaceID string
	Key         string
	Label       string
	Description *string
	Color       *string
	Icon        *string
	BuiltIn     bool
	CreatedAt   time.Time
}

// Entity is a thing of the graph: typed, named, known by names, aliases and identities.
type Entity struct {
	ID                string
	WorkspaceID       string
	TypeKey           string
	Name              string
	NormalizedName    string
	Discriminator     string // SPEC A11: empty unless a namesake with another identity exists
	Slug              string
	Aliases           []string
	Identities        []ContactIdentity
	Description       *string
	DescriptionSource *Actor
	Properties        map[string]any
	Confidence        float64
	Source            Actor
	TaskID            *string
	CreatedAt         time.Time
	UpdatedAt         time.Time
	LastSeenAt        time.Time
}

// ContactIdentity is a name that belongs to one entity only, such as a mail address.
type ContactIdentity struct {
	Kind  string
	Value string
}

// EntityRef names an entity the way callers know it: exactly one of ID, Name and Identity.
type EntityRef struct {
	ID       string
	Name     string
	Type     string // only with Name
	Identity *ContactIdentity
}

// EntityDraft is what a writer says of an entity, before it is matched.
type EntityDraft struct {
	Type        string
	Name        string
	Aliases     []string
	Identities  []ContactIdentity
	Description *string
	Properties  map[string]any
	Confidence  *float64
	Source      Actor // the writer that the write counts as
	DocID       string
	TaskID      string
}

// EntityPatch changes an entity that is named by id; nil leaves a part as it is.
type EntityPatch struct {
	ID          string
	Name        *string
	Type        *string
	Aliases     *[]string
	Description *string
	Properties  map[string]any // a nil value removes its key
	Confidence  *float64
	Source      Actor
	TaskID      string
}

// EntityUpsert is what became of a draft.
type EntityUpsert struct {
	Entity          *Entity
	Created         bool
	KeptDescription bool
}

// EntityFilter narrows a list of entities; zero values do not narrow.
type EntityFilter struct {
	Types         []string
	Sources       []Actor
	NameContains  string
	MinConfidence *float64
	SeenAfter     *time.Time
	SeenBefore    *time.Time
	TaskID        string
}

// EntityOrderField is what a list of entities is ordered by.
type EntityOrderField string

// Orders of entity lists.
const (
	OrderByName       EntityOrderField = "name"
	OrderByConfidence EntityOrderField = "confidence"
	OrderByCreatedAt  EntityOrderField = "createdAt"
	OrderByLastSeenAt EntityOrderField = "lastSeenAt"
)

// OrderDirection is ascending or descending.
type OrderDirection string

// Directions of an order.
const (
	Ascending  OrderDirection = "asc"
	Descending OrderDirection = "desc"
)

// EntityOrder orders a list of entities; ties are broken by id.
type EntityOrder struct {
	Field     EntityOrderField
	Direction OrderDirection
}

// ScoredEntity is a search result.
type ScoredEntity struct {
	Entity *Entity
	Score  float64
}

// Observation is a dated remark about an entity.
type Observation struct {
	ID          string
	WorkspaceID string
	EntityID    string
	Text        string
	Source      Actor
	Fingerprint string
	ObservedAt  time.Time
	CreatedAt   time.Time
}

// ObservationDraft is a remark to be added.
type ObservationDraft struct {
	Entity      EntityRef
	Text        string
	ObservedAt  *time.Time
	Fingerprint string
	Source      Actor
	DocID       string
	TaskID      string
}

// ObservationAdd is what became of an observation draft.
type ObservationAdd struct {
	Observation *Observation
	Created     bool
}

// Duplicate is a group of entities that may be one.
type Duplicate struct {
	Entities []*Entity
	Score    float64
	Reasons  []string
}

// ChangeKind is what happened to a belief.
type ChangeKind string

// Kinds of change.
const (
	ChangeAsserted ChangeKind = "asserted"
	ChangeEnded    ChangeKind = "ended"
	ChangeMerged   ChangeKind = "merged"
	ChangeUnmerged ChangeKind = "unmerged"
	ChangeErased   ChangeKind = "erased"
)

// Change is one thing that a graph was told.
type Change struct {
	At     time.Time
	Actor  Actor
	Kind   ChangeKind
	Item   RecallItem // for asserted and ended
	Entity *Entity    // for merged and unmerged
}

// EntityWrite is an entity to be stored, beside what it was before: nil for a new one.
type EntityWrite struct {
	Before *Entity
	After  *Entity
}

// EntityText is an entity with analysed texts by which it was found.
type EntityText struct {
	Entity     *Entity
	SearchName string
	SearchText string
}
