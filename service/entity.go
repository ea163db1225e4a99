package service

import (
	"context"

	"mneme/knowledge"
)

// Entities are the things of the graph.
type Entities struct{}

// Upsert creates an entity, or finds it by identity, name or alias and merges by precedence (SPEC A11, A15–A23).
func (s *Entities) Upsert(ctx context.Context, to Target, draft knowledge.EntityDraft) (*knowledge.EntityUpsert, error) {
	return nil, errStub
}

// Update changes an entity by id (SPEC A24, A25).
func (s *Entities) Update(ctx context.Context, to Target, patch knowledge.EntityPatch) (*knowledge.EntityUpsert, error) {
	return nil, errStub
}

// Delete removes an entity with its edges and observations; Deleted is false where there is none (SPEC A28).
func (s *Entities) Delete(ctx context.Context, to Target, id string) (*knowledge.DeleteCounts, error) {
	return nil, errStub
}

// Find is the one entity that a reference names: NOT_FOUND, or AMBIGUOUS with the candidates.
func (s *Entities) Find(ctx context.Context, workspaceID string, ref knowledge.EntityRef) (*knowledge.Entity, error) {
	return nil, errStub
}

// Resolve is every entity of a name, alias or slug, in any casing.
func (s *Entities) Resolve(ctx context.Context, workspaceID, name, typ string) ([]*knowledge.Entity, error) {
	return nil, errStub
}

// ByIDs are the entities of ids, those that exist in the workspace.
func (s *Entities) ByIDs(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Entity, error) {
	return nil, errStub
}

// List pages through a workspace's entities.
func (s *Entities) List(ctx context.Context, workspaceID string, filter knowledge.EntityFilter, order knowledge.EntityOrder, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Entity], error) {
	return nil, errStub
}

// Count is the number of entities that fit a filter.
func (s *Entities) Count(ctx context.Context, workspaceID string, filter knowledge.EntityFilter) (int, error) {
	return 0, errStub
}

// Search finds entities by full text, best first, at most 50 in all (SPEC J14–J17).
// A blank query finds nothing.
func (s *Entities) Search(ctx context.Context, workspaceID, query string, types []string, page knowledge.PageRequest) (*knowledge.Page[knowledge.ScoredEntity], error) {
	return nil, errStub
}

// SearchCount is how many results Search has in all, at most 50.
func (s *Entities) SearchCount(ctx context.Context, workspaceID, query string, types []string) (int, error) {
	return 0, errStub
}
