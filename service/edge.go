package service

import (
	"context"
	"time"

	"mneme/knowledge"
)

// Edges are the typed, bi-temporal connections of entities.
type Edges struct{}

// EdgeQuery selects edges of an entity; no types means all.
type EdgeQuery struct {
	Direction knowledge.Direction
	Types     []string
	At        knowledge.TimePoint
}

// Assert says that an edge holds: creates it, or finds the equal one (SPEC B7–B15, T4, T5).
func (s *Edges) Assert(ctx context.Context, to Target, draft knowledge.EdgeDraft) (*knowledge.EdgeAssert, error) {
	return nil, errStub
}

// Invalidate ends a current edge and keeps it as history (SPEC B16).
func (s *Edges) Invalidate(ctx context.Context, to Target, end knowledge.EdgeEnd) (*knowledge.Edge, error) {
	return nil, errStub
}

// InvalidateDocument takes a document's support away and ends the edges that rest on nothing else (SPEC O7, T5).
func (s *Edges) InvalidateDocument(ctx context.Context, to Target, docID string, validTo *time.Time) ([]*knowledge.Edge, error) {
	return nil, errStub
}

// Delete removes an edge and its history (SPEC B18); Deleted is false where there is none.
func (s *Edges) Delete(ctx context.Context, to Target, id string) (*knowledge.DeleteCounts, error) {
	return nil, errStub
}

// ByIDs are the edges of ids, those that exist in the workspace.
func (s *Edges) ByIDs(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Edge, error) {
	return nil, errStub
}

// OfEntities pages through the edges of each of several entities, best confidence first (SPEC B24);
// a page for every id, empty for what is not there. A cursor goes with a single id.
func (s *Edges) OfEntities(ctx context.Context, workspaceID string, entityIDs []string, q EdgeQuery, page knowledge.PageRequest) (map[string]*knowledge.Page[*knowledge.Edge], error) {
	return nil, errStub
}

// CountOfEntities are the numbers of entities' edges, by entity id.
func (s *Edges) CountOfEntities(ctx context.Context, workspaceID string, entityIDs []string, q EdgeQuery) (map[string]int, error) {
	return nil, errStub
}

// Supports are what edges rest on, by edge id, oldest first.
func (s *Edges) Supports(ctx context.Context, workspaceID string, edgeIDs []string) (map[string][]*knowledge.Support, error) {
	return nil, errStub
}
