package service

import (
	"context"

	"mneme/knowledge"
)

// Nodes finds anything that has an id.
type Nodes struct{}

// ByID is what an id names, in whatever workspace: a *Workspace, *EntityType, *Entity,
// *Edge, *Observation, *Entry or *Relation of package knowledge. NOT_FOUND where there is none.
func (s *Nodes) ByID(ctx context.Context, id string) (any, error) { return nil, errStub }

var errStub = knowledge.Errorf(knowledge.CodeInternal, "not there yet")
