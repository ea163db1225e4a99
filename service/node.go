package service

import (
	"context"

	"mneme/knowledge"
)

// Nodes finds anything that has an id.
type Nodes struct{}

// ByIDs is what ids name, in whatever workspace: a *Workspace, *EntityType, *Entity,
// *Edge, *Observation, *Entry or *Relation of package knowledge each. Ids that name nothing are left out.
func (s *Nodes) ByIDs(ctx context.Context, ids []string) (map[string]any, error) {
	return nil, errStub
}

var errStub = knowledge.Errorf(knowledge.CodeInternal, "not there yet")
