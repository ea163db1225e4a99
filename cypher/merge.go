package cypher

import (
	"context"
	_ "embed"
	"slices"

	"mneme/knowledge"
)

//go:embed queries/merge_edges_of.cypher
var mergeEdgesOf statement

//go:embed queries/merge_observations_of.cypher
var mergeObservationsOf statement

// maxLockRounds bounds how often LockMerge finds that edges came while it waited for locks.
const maxLockRounds = 5

// LockMerge locks the entities that are to become one, and those at the other ends of
// the edges of the ones that go, all in the order of their ids, and reads what a merge
// is decided on.
func (s *Store) LockMerge(ctx context.Context, workspaceID, keep string, merged []string) (*knowledge.MergeState, error) {
	locked := map[string]bool{}
	want := append([]string{keep}, merged...)
	for range maxLockRounds {
		edges, err := s.edgesOf(ctx, merged)
		if err != nil {
			return nil, err
		}
		ids := slices.Clone(want)
		for _, e := range edges {
			ids = append(ids, e.FromID, e.ToID)
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { return locked[id] })
		if len(ids) == 0 {
			return s.mergeState(ctx, workspaceID, want, merged, edges)
		}
		if err := s.lockEntities(ctx, ids); err != nil {
			return nil, err
		}
		for _, id := range ids {
			locked[id] = true
		}
	}
	return nil, errGone
}

func (s *Store) mergeState(ctx context.Context, workspaceID string, all, merged []string, edges []*knowledge.Edge) (*knowledge.MergeState, error) {
	entities, err := s.LockEntities(ctx, workspaceID, all)
	if err != nil {
		return nil, err
	}
	observations, err := read(ctx, s, mergeObservationsOf, map[string]any{"ws": workspaceID, "ids": merged}, scanObservation)
	return &knowledge.MergeState{Entities: entities, Edges: edges, Observations: observations}, err
}

func (s *Store) edgesOf(ctx context.Context, ids []string) ([]*knowledge.Edge, error) {
	return read(ctx, s, mergeEdgesOf, map[string]any{"ids": ids}, scanFact)
}
