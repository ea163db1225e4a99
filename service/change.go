package service

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
)

// ChangeStore reads what a graph was told, by kind.
type ChangeStore interface {
	// Changes are at most the limit of the range, newest first.
	Changes(ctx context.Context, workspaceID string, source knowledge.ChangeSource, in knowledge.ChangeRange) ([]knowledge.ChangeMark, error)
	// OldIDs are the ids that lead to an entity since it took others in.
	OldIDs(ctx context.Context, workspaceID, entityID string) ([]string, error)
	EdgesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Edge, error)
	ObservationsByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Observation, error)
	EntriesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entry, error)
}

// ChangeQuery asks what a graph was told between two moments.
type ChangeQuery struct {
	Since time.Time
	Until *time.Time // not included; nil: until now
	About *knowledge.EntityRef
}

// Changes lists what the graph was told, newest first (SPEC T24): facts, remarks and
// entries that were asserted, facts and entries that were said to have ended, merges and
// their undoing, and, without what they were of, erasures.
//
// INVALID_INPUT (until) for one before since; the errors of a reference are those of about.
func (s *Curation) Changes(ctx context.Context, workspaceID string, q ChangeQuery, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Change], error) {
	if q.Until != nil && q.Until.Before(q.Since) {
		return nil, knowledge.Invalid("until", "must not be earlier than since")
	}
	if page.Last {
		return nil, knowledge.Invalid("last", "this list is read forward only")
	}
	in := knowledge.ChangeRange{Since: q.Since, Until: q.Until}
	if q.About != nil {
		about, err := s.c.Entities.Find(ctx, workspaceID, *q.About)
		if err != nil {
			return nil, knowledge.InField("about", err)
		}
		old, err := s.c.Changes.OldIDs(ctx, workspaceID, about.ID)
		if err != nil {
			return nil, err
		}
		in.About = append([]string{about.ID}, old...)
	}
	marks, err := pageOf(page, func(from *knowledge.Cursor, limit int) ([]knowledge.ChangeMark, error) {
		var err error
		if in.Before, err = changePosition(from); err != nil {
			return nil, err
		}
		in.Limit = limit
		return s.readChanges(ctx, workspaceID, in)
	}, func(m knowledge.ChangeMark) knowledge.Cursor {
		return knowledge.Cursor{Key: m.At.Format(time.RFC3339Nano), ID: m.Key()}
	})
	if err != nil {
		return nil, err
	}
	return s.changePage(ctx, workspaceID, marks)
}

func changePosition(c *knowledge.Cursor) (*knowledge.ChangePosition, error) {
	if c == nil {
		return nil, nil //nolint:nilnil // nil is from the newest
	}
	at, err := time.Parse(time.RFC3339Nano, c.Key)
	if err != nil {
		return nil, knowledge.Invalid("after", "is not a cursor of this list")
	}
	return &knowledge.ChangePosition{At: at, Key: c.ID}, nil
}

// readChanges are the newest changes of a range: of each kind at most as many as are asked for are read.
func (s *Curation) readChanges(ctx context.Context, workspaceID string, in knowledge.ChangeRange) ([]knowledge.ChangeMark, error) {
	sources := knowledge.ChangeSources()
	found := make([][]knowledge.ChangeMark, len(sources))
	group, ctx := errgroup.WithContext(ctx)
	for i, source := range sources {
		group.Go(func() error {
			var err error
			found[i], err = s.c.Changes.Changes(ctx, workspaceID, source, in)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := slices.Concat(found...)
	slices.SortFunc(all, knowledge.CompareChanges)
	return all[:min(in.Limit, len(all))], nil
}

// changePage looks up what the changes of a page are about. What was deleted since it
// was read is left out.
func (s *Curation) changePage(ctx context.Context, workspaceID string, marks *knowledge.Page[knowledge.ChangeMark]) (*knowledge.Page[*knowledge.Change], error) {
	items, err := s.changedItems(ctx, workspaceID, marks.Items)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, m := range marks.Items {
		if m.Entity != "" {
			ids = append(ids, m.Entity)
		}
	}
	entities, err := s.c.Entities.ByIDs(ctx, workspaceID, ids)
	if err != nil {
		return nil, err
	}
	out := &knowledge.Page[*knowledge.Change]{HasNextPage: marks.HasNextPage, HasPreviousPage: marks.HasPreviousPage}
	for i, m := range marks.Items {
		change := &knowledge.Change{At: m.At, Actor: m.Actor, Kind: m.Source.Kind(), Item: items[m.ID], Entity: entities[m.Entity]}
		named := change.Kind == knowledge.ChangeAsserted || change.Kind == knowledge.ChangeEnded
		if named && change.Item == nil {
			continue
		}
		out.Items, out.Cursors = append(out.Items, change), append(out.Cursors, marks.Cursors[i])
	}
	return out, nil
}

func (s *Curation) changedItems(ctx context.Context, workspaceID string, marks []knowledge.ChangeMark) (map[string]knowledge.RecallItem, error) {
	ids := map[knowledge.ChangeSource][]string{}
	for _, m := range marks {
		ids[m.Source] = append(ids[m.Source], m.ID)
	}
	out := make(map[string]knowledge.RecallItem, len(marks))
	edges, err := s.c.Changes.EdgesByID(ctx, workspaceID, slices.Concat(ids[knowledge.EdgesAsserted], ids[knowledge.EdgesEnded]))
	if err != nil {
		return nil, err
	}
	for _, e := range edges {
		out[e.ID] = e
	}
	observations, err := s.c.Changes.ObservationsByID(ctx, workspaceID, ids[knowledge.ObservationsAsserted])
	if err != nil {
		return nil, err
	}
	for _, o := range observations {
		out[o.ID] = o
	}
	entries, err := s.c.Changes.EntriesByID(ctx, workspaceID, slices.Concat(ids[knowledge.EntriesAsserted], ids[knowledge.EntriesEnded]))
	for _, e := range entries {
		out[e.ID] = e
	}
	return out, err
}
