package knowledge

import "time"

// MergeState is what a merge is decided on: the entities with all that hangs on those
// that go. It is locked until the transaction ends.
type MergeState struct {
	Entities     []*Entity      // those that exist, in the order of their ids
	Edges        []*Edge        // of the entities that go
	Observations []*Observation // of the entities that go
}

// MergePlan is a merge that was decided, to be carried out and archived.
type MergePlan struct {
	ID           string
	WorkspaceID  string
	At           time.Time
	Actor        Actor
	Keep         *Entity // as it was
	After        *Entity
	Merged       []*Entity
	Edges        EdgeMerge
	Rules        map[string]EdgeType
	Observations []*Observation // of the merged entities
	Equal        []ObservationDrop
}

// MergeUndo asks to take a merge back.
type MergeUndo struct {
	ID          string
	WorkspaceID string
	At          time.Time
	Actor       Actor
}
