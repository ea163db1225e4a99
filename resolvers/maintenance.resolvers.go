package resolvers

import (
	"context"

	"mneme/graph/model"
	"mneme/knowledge"
	"mneme/service"
)

func (r *mutationResolver) RunMaintenance(ctx context.Context, workspace string, input model.RunMaintenanceInput, idempotencyKey *string) (*knowledge.MaintenanceRun, error) {
	return withExamples(r.Upkeep.Run(ctx, target(ctx, workspace), service.MaintenanceCall{Task: input.Task, Force: input.Force, DryRun: input.DryRun}))
}

func (r *workspaceResolver) Maintenance(ctx context.Context, obj *knowledge.Workspace) ([]*knowledge.MaintenanceRun, error) {
	return r.Upkeep.Runs(ctx, obj.ID)
}
