package service

import (
	"context"

	"mneme/knowledge"
)

// Recall answers questions in plain words with knowledge, inside a scope.
type Recall struct{}

// Recall finds what a query asks for (SPEC L). A leg that fails is named in Degraded and the others answer.
func (s *Recall) Recall(ctx context.Context, ws *knowledge.Workspace, q knowledge.RecallQuery) (*knowledge.Recall, error) {
	return nil, errStub
}
