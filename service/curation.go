package service

import (
	"context"
	"time"

	"mneme/knowledge"
)

// Curation joins, separates and erases.
type Curation struct{}

// MergeResult is what a merge made.
type MergeResult struct {
	Entity  *knowledge.Entity
	MergeID string
	Merged  int
}

// DuplicateQuery looks for entities that may be one.
type DuplicateQuery struct {
	Types    []string
	MinScore float64
}

// ChangeQuery asks what a graph was told between two moments.
type ChangeQuery struct {
	Since time.Time
	Until *time.Time
	About *knowledge.EntityRef
}

// Merge makes entities one (SPEC H8, H9, T6). A dry run says what it would give and writes nothing.
func (s *Curation) Merge(ctx context.Context, to Target, keep string, merge []string, dryRun bool) (*MergeResult, error) {
	return nil, errStub
}

// Unmerge takes a merge back, until either side was edited (SPEC T6).
func (s *Curation) Unmerge(ctx context.Context, to Target, mergeID string) ([]*knowledge.Entity, error) {
	return nil, errStub
}

// EraseContact removes a contact, what is only about it, and its traces (SPEC T19, R8). Confirm must be its name.
func (s *Curation) EraseContact(ctx context.Context, to Target, id, confirm string, dryRun bool) (*knowledge.DeleteCounts, error) {
	return nil, errStub
}

// DeleteTask removes what only one task supports, and the entities that this leaves orphaned (SPEC R2, R3).
func (s *Curation) DeleteTask(ctx context.Context, to Target, taskID string, dryRun bool) (*knowledge.DeleteCounts, error) {
	return nil, errStub
}

// Duplicates lists groups of entities that may be one, best score first (SPEC T7).
func (s *Curation) Duplicates(ctx context.Context, workspaceID string, q DuplicateQuery, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Duplicate], error) {
	return nil, errStub
}

// Changes lists what the graph was told, newest first (SPEC T24).
func (s *Curation) Changes(ctx context.Context, workspaceID string, q ChangeQuery, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Change], error) {
	return nil, errStub
}
