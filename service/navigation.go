package service

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mneme/knowledge"
)

// Walker walks the entity graph in the database.
type Walker interface {
	// Step gives the edges of one entity after the other that fit, as many as the limits allow.
	Step(ctx context.Context, workspaceID string, ids []string, w knowledge.Walk, limits knowledge.StepLimits) ([]knowledge.Step, error)
	EdgesBetween(ctx context.Context, workspaceID string, ids []string, w knowledge.Walk, limit int) ([]*knowledge.Edge, error)
	// ShortestPath is the way between two different entities as the ids of its entities
	// and edges; empty where there is none.
	ShortestPath(ctx context.Context, workspaceID, from, to string, w knowledge.Walk, maxHops int) (entities, edges []string, err error)
	EdgesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Edge, error)
	EntitiesByID(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Entity, error)
	SymmetricEdgeTypes(ctx context.Context, workspaceID string) ([]string, error)
}

// Navigation walks the entity graph.
type Navigation struct {
	walker   Walker
	entities EntityFinder
	clock    Clock
}

// NewNavigation makes the walks of the entity graph.
func NewNavigation(walker Walker, entities EntityFinder, clock Clock) *Navigation {
	return &Navigation{walker: walker, entities: entities, clock: clock}
}

// NeighborQuery walks from a root, breadth first.
type NeighborQuery struct {
	Root        string // an entity's id; an unknown one has no neighbours (SPEC B21)
	Hops        int    // 1 to 3
	Direction   knowledge.Direction
	EdgeTypes   []string
	EntityTypes []string // of the answer: the walk goes through entities of every type
	At          knowledge.TimePoint
	First       int             // 1 to 200
	Scope       knowledge.Scope // zero: everything
}

// SubgraphQuery gathers entities and the edges between them.
type SubgraphQuery struct {
	Refs      []knowledge.EntityRef // at most 100
	Hops      int                   // 0 to 3
	EdgeTypes []string
	At        knowledge.TimePoint
	Scope     knowledge.Scope // zero: everything
}

// PathQuery looks for the shortest way between two entities.
type PathQuery struct {
	From, To  knowledge.EntityRef
	MaxHops   int // 1 to 6
	EdgeTypes []string
	Direction knowledge.Direction
	At        knowledge.TimePoint
	Scope     knowledge.Scope // zero: everything
}

// Neighbors are the entities near a root, nearest first, then by the edge that reached
// them: confidence, creation time, id (SPEC B19–B24). Truncated says that there are
// more, or that an entity on the way has more edges than are read of one.
func (s *Navigation) Neighbors(ctx context.Context, workspaceID string, q NeighborQuery) (*knowledge.Neighborhood, error) {
	if err := within("hops", q.Hops, 1, knowledge.MaxHops); err != nil {
		return nil, err
	}
	if err := within("first", q.First, 1, knowledge.MaxNeighbors); err != nil {
		return nil, err
	}
	walk, err := walkOf(ctx, s.walker, workspaceID, "edgeTypes", q.EdgeTypes, q.Direction, q.At, s.now())
	if err != nil {
		return nil, err
	}
	walk.Scope = q.Scope
	w := newBreadth(s.walker, workspaceID, walk, []string{q.Root})
	w.whole = true
	types := make([]string, 0, len(q.EntityTypes))
	for _, t := range q.EntityTypes {
		types = append(types, knowledge.TypeKey(t))
	}
	w.counts = func(st knowledge.Step) bool { return len(types) == 0 || slices.Contains(types, st.FarType) }
	if err := w.run(ctx, q.Hops, q.First); err != nil {
		return nil, err
	}
	return s.neighborhood(ctx, workspaceID, w)
}

func (s *Navigation) neighborhood(ctx context.Context, workspaceID string, w *breadth) (*knowledge.Neighborhood, error) {
	ids := make([]string, 0, len(w.reached))
	for _, r := range w.reached {
		ids = append(ids, r.id)
	}
	entities, err := s.byID(ctx, workspaceID, ids)
	if err != nil {
		return nil, err
	}
	if err := w.complete(ctx); err != nil {
		return nil, err
	}
	out := &knowledge.Neighborhood{Nodes: []*knowledge.Neighbor{}, Truncated: w.truncated}
	for _, r := range w.reached {
		e, path := entities[r.id], w.path(r.id)
		if e != nil && path != nil { // nil: deleted since the walk came by
			out.Nodes = append(out.Nodes, &knowledge.Neighbor{Entity: e, Hops: r.hops, Path: seenAt(path, w.walk)})
		}
	}
	return out, nil
}

// Subgraph is the given entities, what they reach in some hops, and the edges between
// them, best confidence first (SPEC B23). References that name nothing are missing;
// AMBIGUOUS names the reference.
func (s *Navigation) Subgraph(ctx context.Context, workspaceID string, q SubgraphQuery) (*knowledge.Subgraph, error) {
	if err := within("hops", q.Hops, 0, knowledge.MaxHops); err != nil {
		return nil, err
	}
	out := &knowledge.Subgraph{Entities: []*knowledge.Entity{}, Edges: []*knowledge.Edge{}, Missing: []string{}}
	given, err := s.given(ctx, workspaceID, q.Refs, out)
	if err != nil || len(given) == 0 {
		return out, err
	}
	walk, err := walkOf(ctx, s.walker, workspaceID, "edgeTypes", q.EdgeTypes, knowledge.Both, q.At, s.now())
	if err != nil {
		return nil, err
	}
	walk.Scope = q.Scope
	ids := slices.Clone(given)
	if q.Hops > 0 {
		w := newBreadth(s.walker, workspaceID, walk, given)
		if err := w.run(ctx, q.Hops, knowledge.MaxSubgraphEdges); err != nil {
			return nil, err
		}
		for _, r := range w.reached {
			ids = append(ids, r.id)
		}
		out.Truncated = w.truncated
	}
	entities, err := s.byID(ctx, workspaceID, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if e := entities[id]; e != nil {
			out.Entities = append(out.Entities, e)
		}
	}
	edges, err := s.walker.EdgesBetween(ctx, workspaceID, ids, walk, knowledge.MaxSubgraphEdges+1)
	if err != nil {
		return nil, err
	}
	if len(edges) > knowledge.MaxSubgraphEdges {
		edges, out.Truncated = edges[:knowledge.MaxSubgraphEdges], true
	}
	out.Edges = seenAt(edges, walk)
	return out, nil
}

// given are the ids of the entities that references name, each once, in their order;
// those that name none go to out.Missing.
func (s *Navigation) given(ctx context.Context, workspaceID string, refs []knowledge.EntityRef, out *knowledge.Subgraph) ([]string, error) {
	var distinct []knowledge.EntityRef
	var at []int
	seen := map[knowledge.EntityRef]bool{}
	for i, ref := range refs {
		checked, err := ref.Checked(fmt.Sprintf("refs.%d", i))
		if err != nil {
			return nil, err
		}
		key := checked
		if key.Identity != nil { // a pointer does not compare by what it points at
			key.Name, key.Type, key.Identity = key.Identity.Value, "identity "+key.Identity.Kind, nil
		}
		if !seen[key] {
			seen[key] = true
			distinct, at = append(distinct, checked), append(at, i)
		}
	}
	if len(distinct) > knowledge.MaxSubgraphEntities {
		return nil, knowledge.Limit("refs", "names more than %d entities", knowledge.MaxSubgraphEntities)
	}
	if len(distinct) == 0 {
		return nil, nil
	}
	found, errs, err := s.entities.FindMany(ctx, workspaceID, distinct)
	if err != nil {
		return nil, err
	}
	var ids []string
	for i, e := range found {
		switch {
		case knowledge.IsNotFound(errs[i]):
			out.Missing = append(out.Missing, distinct[i].String())
		case errs[i] != nil:
			return nil, knowledge.InField(fmt.Sprintf("refs.%d", at[i]), errs[i])
		case !slices.Contains(ids, e.ID):
			ids = append(ids, e.ID)
		}
	}
	return ids, nil
}

// ShortestPath is the way of fewest hops; of several the one of the highest product of
// confidences, then of the smallest ids (SPEC O15). NOT_FOUND where there is none
// (field empty) or where an end is unknown (field from or to).
func (s *Navigation) ShortestPath(ctx context.Context, workspaceID string, q PathQuery) (*knowledge.Path, error) {
	if err := within("maxHops", q.MaxHops, 1, knowledge.MaxPathHops); err != nil {
		return nil, err
	}
	walk, err := walkOf(ctx, s.walker, workspaceID, "edgeTypes", q.EdgeTypes, q.Direction, q.At, s.now())
	if err != nil {
		return nil, err
	}
	walk.Scope = q.Scope
	ends, errs, err := s.entities.FindMany(ctx, workspaceID, []knowledge.EntityRef{q.From, q.To})
	if err != nil {
		return nil, err
	}
	for i, field := range []string{"from", "to"} {
		if errs[i] != nil {
			return nil, knowledge.InField(field, errs[i])
		}
	}
	if ends[0].ID == ends[1].ID {
		return &knowledge.Path{Entities: ends[:1], Edges: []*knowledge.Edge{}}, nil
	}
	find := s.walker.ShortestPath
	if len(walk.Symmetric) > 0 { // the database cannot walk some types one way and others both
		find = s.shortestByHand
	}
	entityIDs, edgeIDs, err := find(ctx, workspaceID, ends[0].ID, ends[1].ID, walk, q.MaxHops)
	if err != nil {
		return nil, err
	}
	if len(entityIDs) == 0 {
		return nil, knowledge.NotFound("", "there is no way of at most %d hops", q.MaxHops)
	}
	return s.path(ctx, workspaceID, entityIDs, edgeIDs, walk)
}

func (s *Navigation) path(ctx context.Context, workspaceID string, entityIDs, edgeIDs []string, walk knowledge.Walk) (*knowledge.Path, error) {
	entities, err := s.byID(ctx, workspaceID, entityIDs)
	if err != nil {
		return nil, err
	}
	found, err := s.walker.EdgesByID(ctx, workspaceID, edgeIDs)
	if err != nil {
		return nil, err
	}
	edges := make(map[string]*knowledge.Edge, len(found))
	for _, e := range seenAt(found, walk) {
		edges[e.ID] = e
	}
	path := &knowledge.Path{}
	for _, id := range entityIDs {
		path.Entities = append(path.Entities, entities[id])
	}
	for _, id := range edgeIDs {
		path.Edges = append(path.Edges, edges[id])
	}
	if slices.Contains(path.Entities, nil) || slices.Contains(path.Edges, nil) { // deleted since the walk came by
		return nil, knowledge.NotFound("", "there is no such way any more")
	}
	return path, nil
}

func (s *Navigation) byID(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Entity, error) {
	if len(ids) == 0 {
		return map[string]*knowledge.Entity{}, nil
	}
	return s.walker.EntitiesByID(ctx, workspaceID, ids)
}

func (s *Navigation) now() time.Time { return knowledge.Moment(s.clock()) }

// within checks a number against its limits.
func within(field string, n, least, most int) error {
	if n < least {
		return knowledge.Invalid(field, "must be from %d to %d", least, most)
	}
	if n > most {
		return knowledge.Limit(field, "must be from %d to %d", least, most)
	}
	return nil
}
