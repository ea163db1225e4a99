package service

import (
	"context"
	"time"

	"mneme/knowledge"
)

// ChangeQuery asks what a graph was told between two moments.
type ChangeQuery struct {
	Since time.Time
	Until *time.Time
	About *knowledge.EntityRef
}

// Changes lists what the graph was told, newest first (SPEC T24).
func (s *Curation) Changes(ctx context.Context, workspaceID string, q ChangeQuery, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Change], error) {
	return nil, errStub
}
