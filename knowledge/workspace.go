package knowledge

import "time"

// Workspace is the tenant: it owns everything that is stored under it.
type Workspace struct {
	ID        string
	Key       string
	Name      string
	Memory    MemorySettings
	Switches  map[FeatureName]bool // what this workspace has switched; absent: the default
	CreatedAt time.Time
}

// DefaultWorkspace is the key of the workspace that exists from the start.
const DefaultWorkspace = "default"

// PrivacyMode says how much of what is read may be kept.
type PrivacyMode string

// Privacy modes (SPEC F1, F2).
const (
	PrivacyNormal   PrivacyMode = "normal"
	PrivacyStrict   PrivacyMode = "strict"
	PrivacyDisabled PrivacyMode = "disabled"
)

// MemorySettings are a workspace's rules for automatic writers and contexts.
type MemorySettings struct {
	Enabled           bool
	PrivacyMode       PrivacyMode
	AutoCapture       bool
	TemporalKnowledge bool
	WakeUpLayers      bool
}

// DefaultMemory are the settings of a workspace that has set none (SPEC F1, Q6).
func DefaultMemory() MemorySettings {
	return MemorySettings{Enabled: true, PrivacyMode: PrivacyNormal, AutoCapture: true, TemporalKnowledge: true, WakeUpLayers: true}
}

// GraphSummary counts what a workspace holds.
type GraphSummary struct {
	Entities, Edges, CurrentEdges, Observations int
	Entries, Relations, CodeFiles, CodeSymbols  int
	EntitiesByType, EdgesByType, EntriesByType  []Count
	MostConnected                               []ConnectedEntity
}

// Count is a number under a key.
type Count struct {
	Key   string
	Count int
}

// ConnectedEntity is an entity with its number of edges.
type ConnectedEntity struct {
	Entity *Entity
	Degree int
}

// DeleteCounts says what a deletion removed, or would remove.
type DeleteCounts struct {
	Deleted                                           bool
	Entities, Edges, Observations, Entries, Relations int
}
