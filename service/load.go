package service

import (
	"context"
	"errors"

	"mneme/knowledge"
)

// Loading takes many items in one call.
type Loading struct {
	entities     *Entities
	edges        *Edges
	observations *Observations
	entries      *Entries
	tx           Transactor
}

// NewLoading makes the use case of loading many items.
func NewLoading(entities *Entities, edges *Edges, observations *Observations, entries *Entries, tx Transactor) *Loading {
	return &Loading{entities: entities, edges: edges, observations: observations, entries: entries, tx: tx}
}

// LoadRequest holds up to 1,000 items; later ones may name earlier ones by name or source id (SPEC T25).
type LoadRequest struct {
	Atomic       bool
	Entities     []knowledge.EntityDraft
	Edges        []knowledge.EdgeDraft
	Observations []knowledge.ObservationDraft
	Entries      []knowledge.EntryDraft
	Relations    []knowledge.RelationDraft
}

func (r LoadRequest) size() int {
	return len(r.Entities) + len(r.Edges) + len(r.Observations) + len(r.Entries) + len(r.Relations)
}

// LoadResult has an id for each item of the request, empty for those that failed.
type LoadResult struct {
	Created, Matched                                  int
	Entities, Edges, Observations, Entries, Relations []string
	Errors                                            []ItemError
}

// ItemError says why one item of a load failed.
type ItemError struct {
	List  string // entities, edges, observations, entries or relations
	Index int
	Err   *knowledge.Error
}

// errRejected rolls an atomic load back; what was wrong stands in the result.
var errRejected = errors.New("a load was rejected")

// Load writes all items, or those that are right; atomic: all or nothing, and the result
// names what was wrong. LIMIT_EXCEEDED (input) above 1,000 items.
func (s *Loading) Load(ctx context.Context, to Target, req LoadRequest) (*LoadResult, error) {
	if req.size() > knowledge.MaxLoadItems {
		return nil, knowledge.Limit("input", "has more than %d items", knowledge.MaxLoadItems)
	}
	if !req.Atomic {
		load := &load{service: s, to: to, req: req}
		if err := load.run(ctx); err != nil {
			return nil, err
		}
		return &load.result, nil
	}
	vectors := s.entries.vectorsFor(ctx, req.Entries) // before the transaction, which must not wait for the embedder
	var done *load
	err := s.tx.Atomically(ctx, func(ctx context.Context) error {
		done = &load{service: s, to: to, req: req, vectors: vectors}
		if err := done.run(ctx); err != nil {
			return err
		}
		if len(done.result.Errors) > 0 {
			return errRejected
		}
		return nil
	})
	if errors.Is(err, errRejected) {
		return &LoadResult{Errors: done.result.Errors}, nil
	}
	if err != nil {
		return nil, err
	}
	s.entries.embeddings.Wake()
	return &done.result, nil
}

// load is one call on its way.
type load struct {
	service *Loading
	to      Target
	req     LoadRequest
	vectors [][]float32 // of the entries, in an atomic load
	result  LoadResult
}

func (l *load) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{l.loadEntities, l.loadEdges, l.loadObservations, l.loadEntries, l.loadRelations} {
		if err := step(ctx); err != nil {
			return err
		}
		if l.req.Atomic && len(l.result.Errors) > 0 {
			return nil
		}
	}
	return nil
}

func (l *load) loadEntities(ctx context.Context) error {
	if len(l.req.Entities) == 0 {
		return nil
	}
	out, err := l.service.entities.UpsertMany(ctx, l.to, l.req.Entities, l.req.Atomic)
	l.result.Entities = note(&l.result, "entities", out, func(u *knowledge.EntityUpsert) (string, bool) { return u.Entity.ID, u.Created })
	return err
}

func (l *load) loadEdges(ctx context.Context) error {
	if len(l.req.Edges) == 0 {
		return nil
	}
	out, err := l.service.edges.AssertMany(ctx, l.to, l.req.Edges, l.req.Atomic)
	l.result.Edges = note(&l.result, "edges", out, func(a *knowledge.EdgeAssert) (string, bool) { return a.Edge.ID, a.Created })
	return err
}

func (l *load) loadObservations(ctx context.Context) error {
	if len(l.req.Observations) == 0 {
		return nil
	}
	out, err := l.service.observations.AddMany(ctx, l.to, l.req.Observations, l.req.Atomic)
	l.result.Observations = note(&l.result, "observations", out, func(a *knowledge.ObservationAdd) (string, bool) { return a.Observation.ID, a.Created })
	return err
}

func (l *load) loadEntries(ctx context.Context) error {
	if len(l.req.Entries) == 0 {
		return nil
	}
	var out []Outcome[*knowledge.EntrySave]
	var err error
	if l.req.Atomic {
		out, err = l.service.entries.createWith(ctx, l.to, l.req.Entries, l.vectors)
	} else {
		out, err = l.service.entries.CreateMany(ctx, l.to, l.req.Entries, false)
	}
	l.result.Entries = note(&l.result, "entries", out, func(e *knowledge.EntrySave) (string, bool) { return e.Entry.ID, e.Created })
	return err
}

func (l *load) loadRelations(ctx context.Context) error {
	out := make([]Outcome[*knowledge.RelationSave], len(l.req.Relations))
	for i, draft := range l.req.Relations {
		var ours *knowledge.Error
		if out[i].Value, out[i].Err = l.service.entries.Relate(ctx, l.to, draft); out[i].Err != nil && !errors.As(out[i].Err, &ours) {
			return out[i].Err
		}
	}
	l.result.Relations = note(&l.result, "relations", out, func(r *knowledge.RelationSave) (string, bool) { return r.Relation.ID, r.Created })
	return nil
}

// note counts the outcomes of one list, keeps its errors and gives its ids.
func note[T any](result *LoadResult, list string, outcomes []Outcome[*T], read func(*T) (id string, created bool)) []string {
	ids := make([]string, len(outcomes))
	for i, o := range outcomes {
		if o.Err != nil {
			var ours *knowledge.Error
			if !errors.As(o.Err, &ours) {
				ours = knowledge.Errorf(knowledge.CodeInternal, "internal error").Because(o.Err)
			}
			result.Errors = append(result.Errors, ItemError{List: list, Index: i, Err: ours})
			continue
		}
		if o.Value == nil { // not tried, because another item of an atomic load is wrong
			continue
		}
		id, created := read(o.Value)
		ids[i] = id
		if created {
			result.Created++
		} else {
			result.Matched++
		}
	}
	return ids
}
