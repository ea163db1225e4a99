package service

import (
	"context"
	"strconv"
	"time"

	"mneme/knowledge"
)

// ObservationStore keeps observations. What is read for a change is locked until the
// transaction ends.
type ObservationStore interface {
	// LockObservations are the observations that additions could mean, oldest first;
	// the entities are locked.
	LockObservations(ctx context.Context, adds []*knowledge.Observation) ([]*knowledge.Observation, error)
	WriteObservations(ctx context.Context, workspaceID string, w knowledge.ObservationWrites) error
	// DeleteObservations gives the number of observations that were there.
	DeleteObservations(ctx context.Context, workspaceID string, ids []string) (int, error)
	ObservationsByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Observation, error)
	ObservationsOf(ctx context.Context, workspaceID string, entityIDs []string, from *knowledge.ObservationPosition, limit int) (map[string][]*knowledge.Observation, error)
	CountObservationsOf(ctx context.Context, workspaceID string, entityIDs []string) (map[string]int, error)
}

// Observations are dated remarks about entities; they are added and removed, never changed.
type Observations struct {
	c ObservationsConfig
}

// ObservationsConfig is what Observations needs.
type ObservationsConfig struct {
	Store      ObservationStore
	Supports   FactSupports
	Entities   EntityFinder
	Workspaces WorkspaceStore
	Tx         Transactor
	Memory     *Memory // nil: nothing is held back
	Clock      Clock
	NewID      NewID
}

// NewObservations makes the use cases of observations.
func NewObservations(c ObservationsConfig) *Observations { return &Observations{c: c} }

// Add adds a remark, or finds the equal one (SPEC C1–C8). NOT_FOUND or AMBIGUOUS name
// the field entity, INVALID_INPUT the field.
func (s *Observations) Add(ctx context.Context, to Target, draft knowledge.ObservationDraft) (*knowledge.ObservationAdd, error) {
	out, err := s.AddMany(ctx, to, []knowledge.ObservationDraft{draft}, false)
	if err != nil {
		return nil, err
	}
	return out[0].Value, out[0].Err
}

// AddMany is Add for many drafts in one transaction, in their order: a later draft
// finds what an earlier one made. Atomic: where one fails nothing is written.
func (s *Observations) AddMany(ctx context.Context, to Target, drafts []knowledge.ObservationDraft, atomic bool) ([]Outcome[*knowledge.ObservationAdd], error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	return permitted(ctx, s.c.Memory, ws, drafts, atomic, observationWrite(to.Caller), func(drafts []knowledge.ObservationDraft) ([]Outcome[*knowledge.ObservationAdd], error) {
		return s.addMany(ctx, ws, to.Caller, drafts, atomic)
	})
}

func (s *Observations) addMany(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, drafts []knowledge.ObservationDraft, atomic bool) ([]Outcome[*knowledge.ObservationAdd], error) {
	return inBatch(ctx, s.c.Tx, drafts, atomic,
		func(d knowledge.ObservationDraft) (knowledge.ObservationDraft, error) {
			d.Source = by.Claim(d.Source)
			return d.Checked()
		},
		func(ctx context.Context, drafts []knowledge.ObservationDraft, right []int, out []Outcome[*knowledge.ObservationAdd]) error {
			return s.add(ctx, ws.ID, drafts, right, out)
		})
}

func (s *Observations) add(ctx context.Context, workspaceID string, drafts []knowledge.ObservationDraft, right []int, out []Outcome[*knowledge.ObservationAdd]) error {
	now := knowledge.Moment(s.c.Clock())
	adds, at, err := s.find(ctx, workspaceID, drafts, right, out, now)
	if err != nil {
		return err
	}
	stored, err := s.c.Store.LockObservations(ctx, adds)
	if err != nil {
		return err
	}
	book := knowledge.NewObservationBook(stored)
	var supports []knowledge.SupportAdd
	for n, add := range adds {
		o, created := book.Add(add)
		out[at[n]].Value = &knowledge.ObservationAdd{Observation: o, Created: created}
		d := drafts[at[n]]
		if !created || d.DocID != "" || d.TaskID != "" {
			supports = append(supports, knowledge.SupportAdd{Kind: knowledge.SupportedObservation, ID: o.ID, DocID: d.DocID, TaskID: d.TaskID, Source: d.Source, At: now})
			continue
		}
		book.Direct(o.ID)
	}
	if err := s.c.Store.WriteObservations(ctx, workspaceID, book.Writes(now)); err != nil {
		return err
	}
	return s.c.Supports.AddSupports(ctx, workspaceID, supports)
}

// find looks the entities up and gives the observations to be added, with their places in drafts.
func (s *Observations) find(ctx context.Context, workspaceID string, drafts []knowledge.ObservationDraft, right []int, out []Outcome[*knowledge.ObservationAdd], now time.Time) ([]*knowledge.Observation, []int, error) {
	refs := make([]knowledge.EntityRef, 0, len(right))
	for _, i := range right {
		refs = append(refs, drafts[i].Entity)
	}
	found, errs, err := s.c.Entities.FindMany(ctx, workspaceID, refs)
	if err != nil {
		return nil, nil, err
	}
	var adds []*knowledge.Observation
	var at []int
	for n, i := range right {
		if errs[n] != nil {
			out[i].Err = knowledge.InField("entity", errs[n])
			continue
		}
		adds = append(adds, knowledge.NewObservation(drafts[i], s.c.NewID(knowledge.PrefixObservation), found[n], now))
		at = append(at, i)
	}
	return adds, at, nil
}

// Delete removes a remark; Deleted is false where there is none.
func (s *Observations) Delete(ctx context.Context, to Target, id string) (*knowledge.DeleteCounts, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if err := knowledge.CheckID("id", id); err != nil {
		return nil, err
	}
	n, err := s.c.Store.DeleteObservations(ctx, ws.ID, []string{id})
	return &knowledge.DeleteCounts{Deleted: n > 0, Observations: n}, err
}

// ByIDs are the observations of ids, those that exist in the workspace.
func (s *Observations) ByIDs(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Observation, error) {
	found, err := s.c.Store.ObservationsByID(ctx, workspaceID, ids)
	out := make(map[string]*knowledge.Observation, len(found))
	for _, o := range found {
		out[o.ID] = o
	}
	return out, err
}

// OfEntities pages forward through the observations of each of several entities, newest
// first (SPEC C7); a page for every id, empty for what is not there. A cursor goes with a single id.
func (s *Observations) OfEntities(ctx context.Context, workspaceID string, entityIDs []string, page knowledge.PageRequest) (map[string]*knowledge.Page[*knowledge.Observation], error) {
	return forwardPages(entityIDs, page, func(from *knowledge.Cursor, limit int) (map[string][]*knowledge.Observation, error) {
		position, err := observationPosition(from)
		if err != nil {
			return nil, err
		}
		return s.c.Store.ObservationsOf(ctx, workspaceID, entityIDs, position, limit)
	}, func(o *knowledge.Observation) knowledge.Cursor {
		return knowledge.Cursor{Key: strconv.FormatInt(o.ObservedAt.UnixMicro(), 10), ID: o.ID}
	})
}

func observationPosition(c *knowledge.Cursor) (*knowledge.ObservationPosition, error) {
	if c == nil {
		return nil, nil //nolint:nilnil // no cursor is the start of the list
	}
	micros, err := strconv.ParseInt(c.Key, 10, 64)
	if err != nil {
		return nil, knowledge.Invalid("after", "is not a cursor of this list")
	}
	return &knowledge.ObservationPosition{ObservedAt: time.UnixMicro(micros).UTC(), ID: c.ID}, nil
}

// CountOfEntities are the numbers of entities' observations, by entity id.
func (s *Observations) CountOfEntities(ctx context.Context, workspaceID string, entityIDs []string) (map[string]int, error) {
	return s.c.Store.CountObservationsOf(ctx, workspaceID, entityIDs)
}

// Supports are what observations rest on, by observation id, oldest first.
func (s *Observations) Supports(ctx context.Context, workspaceID string, ids []string) (map[string][]*knowledge.Support, error) {
	return s.c.Supports.SupportsOf(ctx, workspaceID, knowledge.SupportedObservation, ids)
}
