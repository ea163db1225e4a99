package cypher

import (
	"context"
	_ "embed"
	"slices"

	"mneme/knowledge"
)

//go:embed queries/edge_lock.cypher
var edgeLock statement

//go:embed queries/fact_between.cypher
var factBetween statement

//go:embed queries/fact_of_source.cypher
var factOfSource statement

//go:embed queries/fact_of_target.cypher
var factOfTarget statement

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
func (s *Store) LockEdges(ctx context.Context, keys []knowledge.EdgeKey) ([]*knowledge.Edge, error) {
	var ids []string
	for _, k := range keys {
		ids = append(ids, k.Locks()...)
	}
	if err := s.lockEnds(ctx, ids); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var out []*knowledge.Edge
	for _, step := range edgeReads(keys) {
		if len(step.rows) == 0 {
			continue
		}
		found, err := read(ctx, s, step.st, map[string]any{"keys": step.rows}, scanFact)
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			if !seen[e.ID] {
				seen[e.ID] = true
				out = append(out, e)
			}
		}
	}
	return out, nil
}

func (s *Store) lockEnds(ctx context.Context, ids []string) error {
	slices.Sort(ids)
	return exec(ctx, s, edgeLock, map[string]any{"ids": slices.Compact(ids)})
}

type edgeRead struct {
	st   statement
	rows []any
}

func edgeReads(keys []knowledge.EdgeKey) []edgeRead {
	var pairs, sources, targets []any
	seen := map[[3]string]bool{}
	add := func(to *[]any, a, typ, b string) {
		if key := [3]string{a, typ, b}; !seen[key] {
			seen[key] = true
			*to = append(*to, map[string]any{"src": a, "type": typ, "dst": b})
		}
	}
	for _, k := range keys {
		if k.SingleValued {
			add(&sources, k.From, k.Type, "")
		} else {
			add(&pairs, k.From, k.Type, k.To)
		}
		switch {
		case k.Symmetric && k.SingleValued:
			add(&sources, k.To, k.Type, "")
			add(&targets, "", k.Type, k.From)
			add(&targets, "", k.Type, k.To)
		case k.Symmetric:
			add(&pairs, k.To, k.Type, k.From)
		}
	}
	return []edgeRead{{factBetween, pairs}, {factOfSource, sources}, {factOfTarget, targets}}
}

// WriteEdges stores new and changed edges, each as relationship and Fact. The ends of
// new ones must be there: CONFLICT where one is not any more, which Atomically decides anew.
func (s *Store) WriteEdges(ctx context.Context, workspaceID string, w knowledge.EdgeWrites) error {
	if len(w.Changed) > 0 {
		rows := make([]any, 0, len(w.Changed))
		for _, e := range w.Changed {
			rows = append(rows, map[string]any{"id": e.ID, "open": e.ValidTo == nil, "set": endProps(e)})
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
		rows = append(rows, map[string]any{"src": c.Edge.FromID, "dst": c.Edge.ToID, "relType": types[i], "rel": edgeProps(c.Edge), "fact": factProps(c)})
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
	return s.lockEnds(ctx, ids)
}
