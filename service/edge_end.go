package service

import (
	"context"
	"slices"
	"time"

	"mneme/knowledge"
)

// Invalidate ends a current edge and keeps it as history (SPEC B16). NOT_FOUND where
// there is no such edge, CONFLICT where it has ended at another time.
func (s *Edges) Invalidate(ctx context.Context, to Target, end knowledge.EdgeEnd) (*knowledge.Edge, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if end, err = end.Checked(); err != nil {
		return nil, err
	}
	var result *knowledge.Edge
	err = s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		now := s.now()
		at := now
		if end.ValidTo != nil {
			at = *end.ValidTo
		}
		current, err := s.toEnd(ctx, ws.ID, end, at, now)
		if err != nil {
			return err
		}
		ended, changed, err := knowledge.EndEdge(current, at, now)
		if err != nil {
			return err
		}
		if result = ended; !changed {
			return nil
		}
		return s.c.Store.WriteEdges(ctx, ws.ID, knowledge.EdgeWrites{Changed: []*knowledge.Edge{ended}})
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// toEnd is the edge that an end names, locked.
func (s *Edges) toEnd(ctx context.Context, workspaceID string, end knowledge.EdgeEnd, at, now time.Time) (*knowledge.Edge, error) {
	if end.ID == "" {
		return s.currentBetween(ctx, workspaceID, end, at, now)
	}
	found, err := s.locked(ctx, workspaceID, []string{end.ID})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, knowledge.NotFound("id", "there is no edge %q", end.ID)
	}
	return found[0], nil
}

// locked reads edges after their ends were locked.
func (s *Edges) locked(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Edge, error) {
	found, err := s.c.Store.EdgesByID(ctx, workspaceID, ids)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if err := s.c.Store.LockEnds(ctx, found); err != nil {
		return nil, err
	}
	return s.c.Store.EdgesByID(ctx, workspaceID, ids)
}

// currentBetween is the current edge of a type between two entities: the one that
// holds now where there are several, else one that ended at the very moment.
func (s *Edges) currentBetween(ctx context.Context, workspaceID string, end knowledge.EdgeEnd, at, now time.Time) (*knowledge.Edge, error) {
	ends, errs, err := s.c.Entities.FindMany(ctx, workspaceID, []knowledge.EntityRef{*end.From, *end.To})
	if err != nil {
		return nil, err
	}
	for i, field := range []string{"from", "to"} {
		if errs[i] != nil {
			return nil, knowledge.InField(field, errs[i])
		}
	}
	rules, err := s.c.Lists.EdgeTypeRules(ctx, workspaceID, []string{end.Type})
	if err != nil {
		return nil, err
	}
	key := knowledge.EdgeKey{From: ends[0].ID, To: ends[1].ID, Type: end.Type, Symmetric: rules[end.Type].Symmetric}
	edges, err := s.c.Store.LockEdges(ctx, workspaceID, []knowledge.EdgeKey{key})
	if err != nil {
		return nil, err
	}
	if e := knowledge.CurrentEdge(edges, at, now); e != nil {
		return e, nil
	}
	return nil, knowledge.NotFound("", "there is no current edge %s from %s to %s", end.Type, end.From, end.To)
}

// InvalidateDocument takes a document's support away and ends the edges that rest on
// nothing else, with weight 0 (SPEC O7, T5); it gives those. Entries end likewise.
// Observations have no end that they could be given: those that rest on nothing else
// are removed.
func (s *Edges) InvalidateDocument(ctx context.Context, to Target, docID string, validTo *time.Time) ([]*knowledge.Edge, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if err := knowledge.CheckID("docId", docID); err != nil {
		return nil, err
	}
	var ended []*knowledge.Edge
	err = s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		now := s.now()
		at := now
		if validTo != nil {
			at = knowledge.Moment(*validTo)
		}
		edges, err := s.c.Store.EdgesOfDocument(ctx, ws.ID, docID)
		if err != nil {
			return err
		}
		if err := s.c.Store.LockEnds(ctx, edges); err != nil {
			return err
		}
		left, err := s.c.Supports.DropSupporter(ctx, ws.ID, knowledge.SupporterDocument, docID)
		if err != nil {
			return err
		}
		if _, err := s.c.Observations.DeleteObservations(ctx, ws.ID, left[knowledge.SupportedObservation]); err != nil {
			return err
		}
		if err := s.endEntries(ctx, ws.ID, left[knowledge.SupportedEntry], at, now); err != nil {
			return err
		}
		ended, err = s.endUnsupported(ctx, ws.ID, left[knowledge.SupportedFact], at, now)
		return err
	})
	if err != nil {
		return nil, err
	}
	return ended, nil
}

func (s *Edges) endEntries(ctx context.Context, workspaceID string, ids []string, at, now time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	entries, err := s.c.Entries.LockEntries(ctx, workspaceID, ids)
	if err != nil {
		return err
	}
	for _, e := range entries {
		ended := knowledge.UnsupportedEntry(e, at, now)
		if ended == e {
			continue
		}
		if err := s.c.Entries.UpdateEntry(ctx, knowledge.EntryWrite{Entry: ended}, knowledge.EntryChange{}, knowledge.EmbeddingModel{}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Edges) endUnsupported(ctx context.Context, workspaceID string, ids []string, at, now time.Time) ([]*knowledge.Edge, error) {
	edges, err := s.c.Store.EdgesByID(ctx, workspaceID, ids)
	if err != nil {
		return nil, err
	}
	ended := []*knowledge.Edge{}
	for _, e := range edges {
		if e.Current(now) {
			ended = append(ended, knowledge.EndUnsupported(e, at, now))
		}
	}
	slices.SortFunc(ended, func(a, b *knowledge.Edge) int { return compareText(a.ID, b.ID) })
	return ended, s.c.Store.WriteEdges(ctx, workspaceID, knowledge.EdgeWrites{Changed: ended})
}

// Delete removes an edge and its history (SPEC B18); Deleted is false where there is none.
func (s *Edges) Delete(ctx context.Context, to Target, id string) (*knowledge.DeleteCounts, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if err := knowledge.CheckID("id", id); err != nil {
		return nil, err
	}
	counts := &knowledge.DeleteCounts{}
	err = s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		*counts = knowledge.DeleteCounts{}
		if found, err := s.locked(ctx, ws.ID, []string{id}); err != nil || len(found) == 0 {
			return err
		}
		n, err := s.c.Store.DeleteEdges(ctx, ws.ID, []string{id})
		counts.Deleted, counts.Edges = n > 0, n
		return err
	})
	return counts, err
}
