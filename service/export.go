package service

import (
	"bufio"
	"context"
	"io"
	"slices"
	"time"

	"mneme/knowledge"
)

// exportBatch is how many things of an export are read and written at once.
const exportBatch = 1_000

// ExportStore reads whole workspaces.
type ExportStore interface {
	// ExportIDs are the ids of all of one kind that is seen at a moment, sorted.
	ExportIDs(ctx context.Context, workspaceID string, kind knowledge.ExportKind, at knowledge.TimePoint, now time.Time) ([]string, error)
	EntitiesByID(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Entity, error)
	EntityNames(ctx context.Context, workspaceID string, ids []string) (map[string]string, error)
	EdgesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Edge, error)
	ObservationsByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Observation, error)
	EntriesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entry, error)
	RelationsByID(ctx context.Context, workspaceID string, ids []string, now time.Time) ([]*knowledge.Relation, error)
	// AutoMentions are the entities that were found in the texts of entries, by entry.
	AutoMentions(ctx context.Context, workspaceID string, entryIDs []string) (map[string][]string, error)
	SupportsOf(ctx context.Context, workspaceID string, kind knowledge.Supported, ids []string) (map[string][]*knowledge.Support, error)
	EntityTypes(ctx context.Context, workspaceID string) ([]*knowledge.EntityType, error)
	EdgeTypes(ctx context.Context, workspaceID string) ([]*knowledge.EdgeType, error)
}

// Exports write whole graphs, and take them in again.
type Exports struct {
	c ExportsConfig
}

// ExportsConfig is what Exports needs.
type ExportsConfig struct {
	Store      ExportStore
	Restore    RestoreStore
	Workspaces *Workspaces
	Services   *Services // the use cases that an import into a workspace that holds something goes through
	Tx         Transactor
	Model      knowledge.EmbeddingModel
	Clock      Clock
}

// NewExports makes the use cases of exports.
func NewExports(c ExportsConfig) *Exports { return &Exports{c: c} }

// ExportRequest says what to write and how.
type ExportRequest struct {
	Format knowledge.ExportFormat
	// At is the moment of the graph. Without one JSON, which is to be taken in again, holds
	// everything that is stored, history too; the other formats show what is current
	// (SPEC O7, O17, O18).
	At knowledge.TimePoint
	// Caller is who asks: a profile that is bound to one contact may not read everything.
	Caller knowledge.Caller
	// MaxEdges refuses larger graphs with LIMIT_EXCEEDED (format); 0: any.
	MaxEdges int
}

// Write writes a graph as a stream: of what is stored only the ids are held in memory, some
// fifty bytes each, and a batch. What is written meanwhile may be in it or not; an edge is
// never in it without its ends.
func (s *Exports) Write(ctx context.Context, ws *knowledge.Workspace, to io.Writer, req ExportRequest) error {
	write := map[knowledge.ExportFormat]func(*exporting, context.Context) error{
		knowledge.ExportJSON: (*exporting).json, knowledge.ExportDOT: (*exporting).dot, knowledge.ExportMermaid: (*exporting).mermaid,
		knowledge.ExportGraphML: (*exporting).graphML, knowledge.ExportCypher: (*exporting).cypher,
	}[req.Format]
	if write == nil {
		return knowledge.Invalid("format", "is not a format")
	}
	if err := req.Caller.Profile.MayRead(); err != nil {
		return err
	}
	if req.Caller.Profile.ContactID != "" {
		return knowledge.Errorf(knowledge.CodeForbidden, "an export is of everything, and this caller may see what concerns one contact")
	}
	at := req.At
	at.AsOf, at.KnownAt = knowledge.MomentOf(at.AsOf), knowledge.MomentOf(at.KnownAt)
	if req.Format == knowledge.ExportJSON && at.AsOf == nil && at.KnownAt == nil {
		at.IncludeHistory = true
	}
	x := &exporting{
		store: s.c.Store, ws: ws, at: at, now: knowledge.Moment(s.c.Clock()), out: bufio.NewWriterSize(to, 64<<10), ids: map[knowledge.ExportKind][]string{},
	}
	if err := x.list(ctx, req); err != nil {
		return err
	}
	if err := write(x, ctx); err != nil {
		return err
	}
	return x.out.Flush()
}

// exporting is one export under way.
type exporting struct {
	store ExportStore
	ws    *knowledge.Workspace
	at    knowledge.TimePoint
	now   time.Time
	out   *bufio.Writer
	ids   map[knowledge.ExportKind][]string
}

// list reads the ids of what is to be written: what names others before those others, so
// that everything that is named is there, although writers go on.
func (x *exporting) list(ctx context.Context, req ExportRequest) error {
	kinds := []knowledge.ExportKind{knowledge.ExportEdges, knowledge.ExportEntities}
	if req.Format == knowledge.ExportJSON || req.Format == knowledge.ExportCypher {
		kinds = []knowledge.ExportKind{
			knowledge.ExportRelations, knowledge.ExportEntries, knowledge.ExportObservations, knowledge.ExportEdges, knowledge.ExportEntities,
		}
	}
	for _, kind := range kinds {
		ids, err := x.store.ExportIDs(ctx, x.ws.ID, kind, x.at, x.now)
		if err != nil {
			return err
		}
		if kind == knowledge.ExportEdges && req.MaxEdges > 0 && len(ids) > req.MaxEdges {
			return knowledge.Limit("format", "this graph has %d edges, more than the %d that fit here: /export and `mneme export` stream any size", len(ids), req.MaxEdges)
		}
		x.ids[kind] = ids
	}
	return nil
}

// batches gives the ids of a kind in parts.
func (x *exporting) batches(ctx context.Context, kind knowledge.ExportKind, use func(ids []string) error) error {
	for ids := range slices.Chunk(x.ids[kind], exportBatch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := use(ids); err != nil {
			return err
		}
	}
	return nil
}

// entities gives all entities, in the order of their ids. One that was deleted meanwhile is left out.
func (x *exporting) entities(ctx context.Context, use func([]*knowledge.Entity) error) error {
	return x.batches(ctx, knowledge.ExportEntities, func(ids []string) error {
		found, err := x.store.EntitiesByID(ctx, x.ws.ID, ids)
		if err != nil {
			return err
		}
		batch := make([]*knowledge.Entity, 0, len(ids))
		for _, id := range ids {
			if e := found[id]; e != nil && e.ID == id { // another: it was merged into that one meanwhile
				batch = append(batch, e)
			}
		}
		return use(batch)
	})
}

// namedEdge is an edge with the names of its ends.
type namedEdge struct {
	*knowledge.Edge
	fromName, toName string
}

// edges gives all edges as they are seen at the moment of the export, in the order of
// their ids, without those that were deleted or lost an end meanwhile.
func (x *exporting) edges(ctx context.Context, use func([]namedEdge) error) error {
	return x.batches(ctx, knowledge.ExportEdges, func(ids []string) error {
		found, err := x.store.EdgesByID(ctx, x.ws.ID, ids)
		if err != nil {
			return err
		}
		byID(found, func(e *knowledge.Edge) string { return e.ID })
		ends := make([]string, 0, 2*len(found))
		for _, e := range found {
			ends = append(ends, e.FromID, e.ToID)
		}
		slices.Sort(ends)
		names, err := x.store.EntityNames(ctx, x.ws.ID, slices.Compact(ends))
		if err != nil {
			return err
		}
		batch := make([]namedEdge, 0, len(found))
		for _, e := range found {
			from, hasFrom := names[e.FromID]
			to, hasTo := names[e.ToID]
			if seen := e.SeenAt(x.at, x.now); seen != nil && hasFrom && hasTo {
				batch = append(batch, namedEdge{seen, from, to})
			}
		}
		return use(batch)
	})
}

func (x *exporting) observations(ctx context.Context, use func([]*knowledge.Observation) error) error {
	return x.batches(ctx, knowledge.ExportObservations, func(ids []string) error {
		found, err := x.store.ObservationsByID(ctx, x.ws.ID, ids)
		if err != nil {
			return err
		}
		byID(found, func(o *knowledge.Observation) string { return o.ID })
		if x.at.AsOf != nil && !x.at.IncludeHistory {
			found = slices.DeleteFunc(found, func(o *knowledge.Observation) bool { return o.ObservedAt.After(*x.at.AsOf) })
		}
		return use(found)
	})
}

func (x *exporting) entries(ctx context.Context, use func([]*knowledge.Entry) error) error {
	return x.batches(ctx, knowledge.ExportEntries, func(ids []string) error {
		found, err := x.store.EntriesByID(ctx, x.ws.ID, ids)
		if err != nil {
			return err
		}
		byID(found, func(e *knowledge.Entry) string { return e.ID })
		return use(found)
	})
}

// relations gives the relations whose ends are in the export.
func (x *exporting) relations(ctx context.Context, use func([]*knowledge.Relation) error) error {
	ever := time.Time{} // a relation is stored as long as its ends are, also where these have expired
	return x.batches(ctx, knowledge.ExportRelations, func(ids []string) error {
		found, err := x.store.RelationsByID(ctx, x.ws.ID, ids, ever)
		if err != nil {
			return err
		}
		byID(found, func(r *knowledge.Relation) string { return r.ID })
		return use(slices.DeleteFunc(found, func(r *knowledge.Relation) bool { return !x.has(r.FromID) || !x.has(r.ToID) }))
	})
}

// has tells whether an entry is in the export.
func (x *exporting) has(entryID string) bool {
	_, found := slices.BinarySearch(x.ids[knowledge.ExportEntries], entryID)
	return found
}

// byID orders what was read, which comes as the store likes it.
func byID[T any](list []T, id func(T) string) {
	slices.SortFunc(list, func(a, b T) int { return compareText(id(a), id(b)) })
}

// text writes texts; an error is kept by the writer until it is flushed.
func (x *exporting) text(texts ...string) {
	for _, t := range texts {
		_, _ = x.out.WriteString(t)
	}
}
