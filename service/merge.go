package service

import (
	"context"
	"fmt"
	"slices"

	"mneme/knowledge"
)

// MergeStore carries merges out and takes them back.
type MergeStore interface {
	// LockMerge locks what is to become one and reads what that is decided on.
	LockMerge(ctx context.Context, workspaceID, keep string, merged []string) (*knowledge.MergeState, error)
	EdgeTypeRules(ctx context.Context, workspaceID string, keys []string) (map[string]knowledge.EdgeType, error)
	LockEdges(ctx context.Context, workspaceID string, keys []knowledge.EdgeKey) ([]*knowledge.Edge, error)
	LockObservations(ctx context.Context, adds []*knowledge.Observation) ([]*knowledge.Observation, error)
	ApplyMerge(ctx context.Context, plan *knowledge.MergePlan) error
	// UndoMerge gives the ids of the entities that a merge was of, the one that stayed first.
	UndoMerge(ctx context.Context, undo knowledge.MergeUndo) ([]string, error)
}

// MergeResult is what a merge made.
type MergeResult struct {
	Entity  *knowledge.Entity
	MergeID string // empty for a dry run
	Merged  int
}

// Merge makes entities one (SPEC H8, H9, T6): their edges, observations, names, identities
// and links go to the one that stays, and their ids lead to it. A dry run says what it
// would give and writes nothing.
//
// NOT_FOUND (keep, merge.N) for what is not there; INVALID_INPUT (merge) for nothing to
// merge, an entity with itself, or entities of different types (SPEC T7); LIMIT_EXCEEDED
// (merge) for more than 50.
func (s *Curation) Merge(ctx context.Context, to Target, keep string, merge []string, dryRun bool) (*MergeResult, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if err := checkMerge(keep, merge); err != nil {
		return nil, err
	}
	plan := knowledge.MergePlan{ID: s.c.NewID(knowledge.PrefixMerge), WorkspaceID: ws.ID, At: s.now(), Actor: to.Caller.Actor}
	result := &MergeResult{MergeID: plan.ID}
	err = s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		decided := plan
		if err := s.decideMerge(ctx, &decided, keep, merge); err != nil {
			return err
		}
		result.Entity, result.Merged = decided.After, len(decided.Merged)
		if dryRun {
			return nil
		}
		return s.c.Merges.ApplyMerge(ctx, &decided)
	})
	if err != nil {
		return nil, err
	}
	if dryRun {
		result.MergeID = ""
	}
	return result, nil
}

func checkMerge(keep string, merge []string) error {
	if err := knowledge.CheckID("keep", keep); err != nil {
		return err
	}
	switch {
	case len(merge) == 0:
		return knowledge.Invalid("merge", "must name at least one entity")
	case len(merge) > knowledge.MaxMerged:
		return knowledge.Limit("merge", "names more than %d entities", knowledge.MaxMerged)
	}
	for i, id := range merge {
		if err := knowledge.CheckID(mergeField(i), id); err != nil {
			return err
		}
	}
	return nil
}

func mergeField(i int) string { return fmt.Sprintf("merge.%d", i) }

// decideMerge locks the entities and decides what becomes of what hangs on them.
func (s *Curation) decideMerge(ctx context.Context, plan *knowledge.MergePlan, keep string, merge []string) error {
	state, keepID, merged, err := s.lockMerge(ctx, plan.WorkspaceID, keep, merge)
	if err != nil {
		return err
	}
	for _, e := range state.Entities {
		if e.ID == keepID {
			plan.Keep = e
		}
	}
	for _, id := range merged { // in the order in which they were named
		i := slices.IndexFunc(state.Entities, func(e *knowledge.Entity) bool { return e.ID == id })
		e := state.Entities[i]
		if e.TypeKey != plan.Keep.TypeKey {
			return knowledge.Invalid("merge", "%q is a %s and %q a %s; only entities of one type are merged", e.Name, e.TypeKey, plan.Keep.Name, plan.Keep.TypeKey)
		}
		plan.Merged = append(plan.Merged, e)
	}
	plan.After = knowledge.JoinEntities(plan.Keep, plan.Merged)
	if err := s.decideEdges(ctx, plan, state.Edges, merged); err != nil {
		return err
	}
	return s.decideObservations(ctx, plan, state.Observations)
}

// maxLocks bounds how often entities are looked up anew because they were merged while
// they were waited for.
const maxLocks = 5

// lockMerge finds the entities, also by ids that were merged away, and locks them.
func (s *Curation) lockMerge(ctx context.Context, workspaceID, keep string, merge []string) (*knowledge.MergeState, string, []string, error) {
	for range maxLocks {
		found, err := s.c.Entities.ByIDs(ctx, workspaceID, append([]string{keep}, merge...))
		if err != nil {
			return nil, "", nil, err
		}
		if found[keep] == nil {
			return nil, "", nil, knowledge.NotFound("keep", "there is no entity %q", keep)
		}
		keepID, merged := found[keep].ID, make([]string, 0, len(merge))
		for i, id := range merge {
			switch e := found[id]; {
			case e == nil:
				return nil, "", nil, knowledge.NotFound(mergeField(i), "there is no entity %q", id)
			case e.ID == keepID:
				return nil, "", nil, knowledge.Invalid("merge", "%q is the entity that is to be kept", id)
			case !slices.Contains(merged, e.ID):
				merged = append(merged, e.ID)
			}
		}
		state, err := s.c.Merges.LockMerge(ctx, workspaceID, keepID, merged)
		if err != nil || len(state.Entities) == len(merged)+1 {
			return state, keepID, merged, err
		}
	}
	return nil, "", nil, knowledge.Errorf(knowledge.CodeConflict, "the entities are being merged by others; try once more")
}

func (s *Curation) decideEdges(ctx context.Context, plan *knowledge.MergePlan, edges []*knowledge.Edge, merged []string) error {
	var types []string
	for _, e := range edges {
		types = append(types, e.Type)
	}
	slices.Sort(types)
	var err error
	if plan.Rules, err = s.c.Merges.EdgeTypeRules(ctx, plan.WorkspaceID, slices.Compact(types)); err != nil {
		return err
	}
	stored, err := s.c.Merges.LockEdges(ctx, plan.WorkspaceID, knowledge.MovedKeys(edges, plan.Keep.ID, merged, plan.Rules))
	if err != nil {
		return err
	}
	plan.Edges = knowledge.MoveEdges(edges, stored, plan.Keep.ID, merged, plan.Rules, plan.At)
	return nil
}

func (s *Curation) decideObservations(ctx context.Context, plan *knowledge.MergePlan, moving []*knowledge.Observation) error {
	if len(moving) == 0 {
		return nil
	}
	plan.Observations = moving
	there := make([]*knowledge.Observation, 0, len(moving))
	for _, o := range moving {
		at := *o
		at.EntityID = plan.Keep.ID
		there = append(there, &at)
	}
	stored, err := s.c.Merges.LockObservations(ctx, there)
	plan.Equal = knowledge.EqualObservations(append(stored, moving...))
	return err
}

// Unmerge takes a merge back, until either side was edited (SPEC T6): the entities, the
// one that stayed first. NOT_FOUND or CONFLICT (mergeId), naming what was edited.
func (s *Curation) Unmerge(ctx context.Context, to Target, mergeID string) ([]*knowledge.Entity, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if err := knowledge.CheckID("mergeId", mergeID); err != nil {
		return nil, err
	}
	undo := knowledge.MergeUndo{ID: mergeID, WorkspaceID: ws.ID, At: s.now(), Actor: to.Caller.Actor}
	var out []*knowledge.Entity
	err = s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		ids, err := s.c.Merges.UndoMerge(ctx, undo)
		if err != nil {
			return err
		}
		found, err := s.c.Entities.ByIDs(ctx, ws.ID, ids)
		out = make([]*knowledge.Entity, 0, len(ids))
		for _, id := range ids {
			out = append(out, found[id])
		}
		return err
	})
	return out, err
}
