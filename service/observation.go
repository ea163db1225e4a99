package service

import (
	"context"

	"mneme/knowledge"
)

// Observations are dated remarks about entities; they are added and removed, never changed.
type Observations struct{}

// Add adds a remark, or finds the equal one (SPEC C1–C8).
func (s *Observations) Add(ctx context.Context, to Target, draft knowledge.ObservationDraft) (*knowledge.ObservationAdd, error) {
	return nil, errStub
}

// Delete removes a remark; Deleted is false where there is none.
func (s *Observations) Delete(ctx context.Context, to Target, id string) (*knowledge.DeleteCounts, error) {
	return nil, errStub
}

// ByIDs are the observations of ids, those that exist in the workspace.
func (s *Observations) ByIDs(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Observation, error) {
	return nil, errStub
}

// OfEntity pages through an entity's observations, newest first (SPEC C7).
func (s *Observations) OfEntity(ctx context.Context, workspaceID, entityID string, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Observation], error) {
	return nil, errStub
}

// CountOfEntity is the number of an entity's observations.
func (s *Observations) CountOfEntity(ctx context.Context, workspaceID, entityID string) (int, error) {
	return 0, errStub
}

// Supports are what observations rest on, by observation id, oldest first.
func (s *Observations) Supports(ctx context.Context, workspaceID string, ids []string) (map[string][]*knowledge.Support, error) {
	return nil, errStub
}
