package cypher

import (
	"context"
	_ "embed"
	"math"
	"slices"

	"mneme/knowledge"
)

//go:embed queries/edge_lock.cypher
var edgeLock statement

//go:embed queries/edge_ends.cypher
var edgeEnds statement

//go:embed queries/fact_by_keys.cypher
var factByKeys statement

//go:embed queries/fact_by_ids.cypher
var factByIDs statement

//go:embed queries/fact_by_document.cypher
var factByDocument statement

//go:embed queries/edge_create.cypher
var edgeCreate statement

//go:embed queries/edge_change.cypher
var edgeChange statement

//go:embed queries/edge_delete.cypher
var edgeDelete statement

// LockEdges locks what the keys ask for and gives the stored edges that claims of
// these keys are decided by, each once: those between the two entities, and for
// single-valued types those of the source, or of both ends, with others. Entities are
// locked in the order of their ids, so that two batches never wait for each other.
func (s *Store) LockEdges(ctx context.Context, workspaceID string, keys []knowledge.EdgeKey) ([]*knowledge.Edge, error) {
	var ids []string
	for _, k := range keys {
		ids = append(ids, k.Locks()...)
	}
	if err := s.lockEntities(ctx, ids); err != nil {
		return nil, err
	}
	found, err := s.edgesByKeys(ctx, keys)
	if err != nil {
		return nil, err
	}
	of, err := s.edgesOfSingleValued(ctx, workspaceID, keys)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(append(found, of...), func(e *knowledge.Edge) bool {
		again := seen[e.ID]
		seen[e.ID] = true
		return again
	}), nil
}

func (s *Store) lockEntities(ctx context.Context, ids []string) error {
	slices.Sort(ids)
	return exec(ctx, s, edgeLock, map[string]any{"ids": slices.Compact(ids)})
}

func (s *Store) edgesByKeys(ctx context.Context, keys []knowledge.EdgeKey) ([]*knowledge.Edge, error) {
	var names []string
	for _, k := range keys {
		if k.SingleValued {
			continue
		}
		names = append(names, edgeKey(k.From, k.Type, k.To))
		if k.Symmetric { // both, because edges may be older than the declaration of their type
			names = append(names, edgeKey(k.To, k.Type, k.From))
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	slices.Sort(names)
	return read(ctx, s, factByKeys, map[string]any{"keys": slices.Compact(names)}, scanFact)
}

func (s *Store) edgesOfSingleValued(ctx context.Context, workspaceID string, keys []knowledge.EdgeKey) ([]*knowledge.Edge, error) {
	ids, walks := map[string][]string{}, map[string]knowledge.Walk{}
	for _, k := range keys {
		if !k.SingleValued {
			continue
		}
		w := knowledge.Walk{Types: []string{k.Type}, Direction: knowledge.Outgoing, At: knowledge.TimePoint{IncludeHistory: true}}
		ids[k.Type] = append(ids[k.Type], k.From)
		if k.Symmetric {
			w.Direction = knowledge.Both
			ids[k.Type] = append(ids[k.Type], k.To)
		}
		walks[k.Type] = w
	}
	var out []*knowledge.Edge
	for typ, w := range walks {
		slices.Sort(ids[typ])
		found, err := s.EdgesOf(ctx, workspaceID, slices.Compact(ids[typ]), w, nil, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		for _, edges := range found {
			out = append(out, edges...)
		}
	}
	return out, nil
}

// EntityNames are the names of entities of a workspace, by id, those that exist.
func (s *Store) EntityNames(ctx context.Context, workspaceID string, ids []string) (map[string]string, error) {
	type found struct{ ids, names []string }
	rows, err := read(ctx, s, edgeEnds, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) found { return found{r.texts("ids"), r.texts("names")} })
	out := make(map[string]string, len(ids))
	for _, f := range rows {
		for i, id := range f.ids {
			out[id] = f.names[i]
		}
	}
	return out, err
}

// WriteEdges stores new and changed edges, each as relationship and Fact. The ends of
// new ones must be there: CONFLICT where one is not any more, which Atomically decides anew.
func (s *Store) WriteEdges(ctx context.Context, workspaceID string, w knowledge.EdgeWrites) error {
	if len(w.Changed) > 0 {
		rows := make([]any, 0, len(w.Changed))
		for _, e := range w.Changed {
			rows = append(rows, map[string]any{"id": e.ID, "set": endProps(e)})
		}
		if err := exec(ctx, s, edgeChange, map[string]any{"ws": workspaceID, "rows": rows}); err != nil {
			return err
		}
	}
	if len(w.Created) == 0 {
		return nil
	}
	types, err := s.relationshipTypes(ctx, workspaceID, w.Created)
	if err != nil {
		return err
	}
	rows := make([]any, 0, len(w.Created))
	for i, c := range w.Created {
		rows = append(rows, edgeRow(c, types[i]))
	}
	made, err := write(ctx, s, edgeCreate, map[string]any{"rows": rows}, func(r row) int { return r.int("created") })
	if err != nil {
		return err
	}
	if len(made) != 1 || made[0] != len(rows) {
		return errGone
	}
	return nil
}

// DeleteEdges removes edges of a workspace with their history, and gives the number that was there.
func (s *Store) DeleteEdges(ctx context.Context, workspaceID string, ids []string) (int, error) {
	rows, err := write(ctx, s, edgeDelete, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) int { return r.int("deleted") })
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0], nil
}

// EdgesByID are the edges of ids, those that exist in the workspace.
func (s *Store) EdgesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Edge, error) {
	return read(ctx, s, factByIDs, map[string]any{"ws": workspaceID, "ids": ids}, scanFact)
}

// EdgesOfDocument are the edges that rest on a document, among other things or alone.
func (s *Store) EdgesOfDocument(ctx context.Context, workspaceID, docID string) ([]*knowledge.Edge, error) {
	return read(ctx, s, factByDocument, map[string]any{"ws": workspaceID, "doc": docID}, scanFact)
}

// LockEnds locks both ends of edges until the transaction ends, whatever their types.
func (s *Store) LockEnds(ctx context.Context, edges []*knowledge.Edge) error {
	ids := make([]string, 0, 2*len(edges))
	for _, e := range edges {
		ids = append(ids, e.FromID, e.ToID)
	}
	return s.lockEntities(ctx, ids)
}
