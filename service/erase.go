package service

import (
	"context"

	"mneme/knowledge"
)

// EraseContact removes a contact, what is only about it, and its traces (SPEC T19, R8). Confirm must be its name.
func (s *Curation) EraseContact(ctx context.Context, to Target, id, confirm string, dryRun bool) (*knowledge.DeleteCounts, error) {
	return nil, errStub
}
