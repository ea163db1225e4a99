package service

import (
	"context"
	"errors"

	"mneme/knowledge"
)

// TaskRemover removes what tasks wrote.
type TaskRemover interface {
	// DeleteTask runs in the transaction of its context.
	DeleteTask(ctx context.Context, workspaceID, taskID string) (knowledge.DeleteCounts, error)
}

// errDryRun rolls a transaction back whose counts were wanted only.
var errDryRun = errors.New("dry run")

// DeleteTask removes what only one task supports, and the entities that this leaves
// orphaned (SPEC R2, R3); Deleted is false where nothing is known of the task. A dry run
// counts what would go: it is done, and rolled back.
func (s *Curation) DeleteTask(ctx context.Context, to Target, taskID string, dryRun bool) (*knowledge.DeleteCounts, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if err := knowledge.CheckID("taskId", taskID); err != nil {
		return nil, err
	}
	return s.counted(ctx, dryRun, func(ctx context.Context) (knowledge.DeleteCounts, error) {
		return s.c.Tasks.DeleteTask(ctx, ws.ID, taskID)
	})
}

// counted runs a removal in one transaction, which a dry run rolls back.
func (s *Curation) counted(ctx context.Context, dryRun bool, remove func(ctx context.Context) (knowledge.DeleteCounts, error)) (*knowledge.DeleteCounts, error) {
	var counts knowledge.DeleteCounts
	err := s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		var err error
		if counts, err = remove(ctx); err == nil && dryRun {
			return errDryRun
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		counts.Deleted = false
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return &counts, nil
}
