package service

import (
	"context"

	"mneme/knowledge"
)

// Types are the kinds of entities and edges that a workspace knows.
type Types struct{}

// EntityTypeDraft declares an entity type.
type EntityTypeDraft struct {
	Key                             string
	Label, Description, Color, Icon *string
}

// EntityTypes lists a workspace's entity types: built-ins first, then by name (SPEC A7).
func (s *Types) EntityTypes(ctx context.Context, workspaceID string) ([]*knowledge.EntityType, error) {
	return nil, errStub
}

// EntityTypesByKey are a workspace's entity types by key.
func (s *Types) EntityTypesByKey(ctx context.Context, workspaceID string) (map[string]*knowledge.EntityType, error) {
	return nil, errStub
}

// EntityTypeCounts are the numbers of entities by type key.
func (s *Types) EntityTypeCounts(ctx context.Context, workspaceID string) (map[string]int, error) {
	return nil, errStub
}

// EdgeTypes lists a workspace's edge types: built-ins first, then by key.
func (s *Types) EdgeTypes(ctx context.Context, workspaceID string) ([]*knowledge.EdgeType, error) {
	return nil, errStub
}

// EdgeTypeCounts are the numbers of current edges by type key.
func (s *Types) EdgeTypeCounts(ctx context.Context, workspaceID string) (map[string]int, error) {
	return nil, errStub
}

// CreateEntityType declares an entity type, or changes how a custom one is shown.
func (s *Types) CreateEntityType(ctx context.Context, to Target, draft EntityTypeDraft) (*knowledge.EntityType, error) {
	return nil, errStub
}

// CreateEdgeType declares how edges of a type behave (SPEC T4).
func (s *Types) CreateEdgeType(ctx context.Context, to Target, draft knowledge.EdgeType) (*knowledge.EdgeType, error) {
	return nil, errStub
}
