package service

import (
	"context"

	"mneme/knowledge"
)

// Loading takes many items in one call.
type Loading struct{}

// LoadRequest holds up to 1,000 items; later ones may name earlier ones by name or source id (SPEC T25).
type LoadRequest struct {
	Atomic       bool
	Entities     []knowledge.EntityDraft
	Edges        []knowledge.EdgeDraft
	Observations []knowledge.ObservationDraft
	Entries      []knowledge.EntryDraft
	Relations    []knowledge.RelationDraft
}

// LoadResult has an id for each item of the request, empty for those that failed.
type LoadResult struct {
	Created, Matched                                  int
	Entities, Edges, Observations, Entries, Relations []string
	Errors                                            []ItemError
}

// ItemError says why one item of a load failed.
type ItemError struct {
	List  string // entities, edges, observations, entries or relations
	Index int
	Err   *knowledge.Error
}

// Load writes all items, or those that are right; atomic: all or nothing.
func (s *Loading) Load(ctx context.Context, to Target, req LoadRequest) (*LoadResult, error) {
	return nil, errStub
}
