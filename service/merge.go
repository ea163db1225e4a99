package service

import (
	"context"

	"mneme/knowledge"
)

// MergeResult is what a merge made.
type MergeResult struct {
	Entity  *knowledge.Entity
	MergeID string
	Merged  int
}

// Merge makes entities one (SPEC H8, H9, T6). A dry run says what it would give and writes nothing.
func (s *Curation) Merge(ctx context.Context, to Target, keep string, merge []string, dryRun bool) (*MergeResult, error) {
	return nil, errStub
}

// Unmerge takes a merge back, until either side was edited (SPEC T6).
func (s *Curation) Unmerge(ctx context.Context, to Target, mergeID string) ([]*knowledge.Entity, error) {
	return nil, errStub
}
