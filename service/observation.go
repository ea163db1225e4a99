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

// OfEntities pages through the observations of each of several entities, newest first (SPEC C7);
// a page for every id, empty for what is not there. A cursor goes with a single id.
func (s *Observations) OfEntities(ctx context.Context, workspaceID string, entityIDs []string, page knowledge.PageRequest) (map[string]*knowledge.Page[*knowledge.Observation], error) {
	return nil, errStub
}

// CountOfEntities are the numbers of entities' observations, by entity id.
func (s *Observations) CountOfEntities(ctx context.Context, workspaceID string, entityIDs []string) (map[string]int, error) {
	return nil, errStub
}

// Supports are what observations rest on, by observation id, oldest first.
func (s *Observations) Supports(ctx context.Context, workspaceID string, ids []string) (map[string][]*knowledge.Support, error) {
	return nil, errStub
}
