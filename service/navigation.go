package service

import (
	"context"

	"mneme/knowledge"
)

// Navigation walks the entity graph.
type Navigation struct{}

// NeighborQuery walks from a root, breadth first.
type NeighborQuery struct {
	Root        string // an entity's id; an unknown one has no neighbours (SPEC B21)
	Hops        int    // 1 to 3
	Direction   knowledge.Direction
	EdgeTypes   []string
	EntityTypes []string
	At          knowledge.TimePoint
	First       int // 1 to 200
}

// SubgraphQuery gathers entities and the edges between them.
type SubgraphQuery struct {
	Refs      []knowledge.EntityRef // at most 100
	Hops      int                   // 0 to 3
	EdgeTypes []string
	At        knowledge.TimePoint
}

// PathQuery looks for the shortest way between two entities.
type PathQuery struct {
	From, To  knowledge.EntityRef
	MaxHops   int // 1 to 6
	EdgeTypes []string
	Direction knowledge.Direction
	At        knowledge.TimePoint
}

// Neighbors are the entities near a root, nearest first (SPEC B19–B24).
func (s *Navigation) Neighbors(ctx context.Context, workspaceID string, q NeighborQuery) (*knowledge.Neighborhood, error) {
	return nil, errStub
}

// Subgraph is the given entities, what they reach, and every edge between them (SPEC B23).
func (s *Navigation) Subgraph(ctx context.Context, workspaceID string, q SubgraphQuery) (*knowledge.Subgraph, error) {
	return nil, errStub
}

// ShortestPath is the way of fewest hops (SPEC O15); NOT_FOUND where there is none
// (field empty) or where an end is unknown (field from or to).
func (s *Navigation) ShortestPath(ctx context.Context, workspaceID string, q PathQuery) (*knowledge.Path, error) {
	return nil, errStub
}
