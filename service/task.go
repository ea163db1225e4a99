package service

import (
	"context"

	"mneme/knowledge"
)

// DeleteTask removes what only one task supports, and the entities that this leaves orphaned (SPEC R2, R3).
func (s *Curation) DeleteTask(ctx context.Context, to Target, taskID string, dryRun bool) (*knowledge.DeleteCounts, error) {
	return nil, errStub
}
