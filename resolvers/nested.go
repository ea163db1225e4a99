package resolvers

import (
	"context"

	"mneme/knowledge"
	"mneme/service"
)

func (r *Resolver) edgesOf(workspaceID string, q service.EdgeQuery, page knowledge.PageRequest) nestedFetch[*knowledge.Page[*knowledge.Edge]] {
	return func(ctx context.Context, owners []string) (map[string]*knowledge.Page[*knowledge.Edge], error) {
		return r.Edges.OfEntities(ctx, workspaceID, owners, q, page)
	}
}

func (r *Resolver) edgeCountsOf(workspaceID string, q service.EdgeQuery) nestedFetch[int] {
	return func(ctx context.Context, owners []string) (map[string]int, error) {
		return r.Edges.CountOfEntities(ctx, workspaceID, owners, q)
	}
}

func (r *Resolver) observationsOf(workspaceID string, page knowledge.PageRequest) nestedFetch[*knowledge.Page[*knowledge.Observation]] {
	return func(ctx context.Context, owners []string) (map[string]*knowledge.Page[*knowledge.Observation], error) {
		return r.Observations.OfEntities(ctx, workspaceID, owners, page)
	}
}

func (r *Resolver) observationCountsOf(workspaceID string) nestedFetch[int] {
	return func(ctx context.Context, owners []string) (map[string]int, error) {
		return r.Observations.CountOfEntities(ctx, workspaceID, owners)
	}
}

func (r *Resolver) entriesOf(workspaceID string, q service.EntityEntryQuery, page knowledge.PageRequest) nestedFetch[*knowledge.Page[*knowledge.Entry]] {
	return func(ctx context.Context, owners []string) (map[string]*knowledge.Page[*knowledge.Entry], error) {
		return r.Entries.OfEntities(ctx, workspaceID, owners, q, page)
	}
}

func (r *Resolver) entryCountsOf(workspaceID string, q service.EntityEntryQuery) nestedFetch[int] {
	return func(ctx context.Context, owners []string) (map[string]int, error) {
		return r.Entries.CountOfEntities(ctx, workspaceID, owners, q)
	}
}

func (r *Resolver) relationsOf(workspaceID string, q service.RelationQuery, page knowledge.PageRequest) nestedFetch[*knowledge.Page[*knowledge.Relation]] {
	return func(ctx context.Context, owners []string) (map[string]*knowledge.Page[*knowledge.Relation], error) {
		return r.Entries.RelationsOf(ctx, workspaceID, owners, q, page)
	}
}

func (r *Resolver) relationCountsOf(workspaceID string, q service.RelationQuery) nestedFetch[int] {
	return func(ctx context.Context, owners []string) (map[string]int, error) {
		return r.Entries.CountRelationsOf(ctx, workspaceID, owners, q)
	}
}
