package service

import (
	"cmp"
	"context"
	"slices"

	"mneme/knowledge"
)

// maxLevelEdges bounds what is read in one hop: what ten entities of MaxEdgesPerLevel
// edges have. Entities that were reached by better edges are read first.
const maxLevelEdges = 10 * knowledge.MaxEdgesPerLevel

// breadth walks breadth first, one statement a hop. Each entity is reached once, at its
// smallest distance, by the first edge in the order of SPEC B24.
type breadth struct {
	walker      Walker
	workspaceID string
	walk        knowledge.Walk
	counts      func(knowledge.Step) bool // what is part of the answer; nil: everything
	whole       bool                      // the edges of the paths are wanted, not only what they reach

	via       map[string]knowledge.Step // how each entity was reached; roots have no edge
	reached   []reached
	truncated bool
}

type reached struct {
	id   string
	hops int
}

func newBreadth(walker Walker, workspaceID string, walk knowledge.Walk, roots []string) *breadth {
	w := &breadth{walker: walker, workspaceID: workspaceID, walk: walk, via: make(map[string]knowledge.Step, len(roots))}
	for _, id := range roots {
		w.via[id] = knowledge.Step{Far: id}
	}
	return w
}

// run walks so many hops, or until there are more than most results: then the rest is cut off.
func (w *breadth) run(ctx context.Context, hops, most int) error {
	frontier := make([]string, 0, len(w.via))
	for id := range w.via {
		frontier = append(frontier, id)
	}
	slices.Sort(frontier)
	for hop := 1; hop <= hops && len(frontier) > 0; hop++ {
		// Whole edges are worth their reading where most of them are part of the answer: in the first hop.
		steps, err := w.level(ctx, frontier, w.whole && hop == 1)
		if err != nil {
			return err
		}
		frontier = frontier[:0:0]
		for _, st := range steps {
			if _, seen := w.via[st.Far]; seen {
				continue
			}
			w.via[st.Far] = st
			frontier = append(frontier, st.Far)
			if w.counts != nil && !w.counts(st) {
				continue
			}
			if len(w.reached) == most {
				w.truncated = true
				return nil
			}
			w.reached = append(w.reached, reached{st.Far, hop})
		}
	}
	return nil
}

// level reads the edges of one hop, at most MaxEdgesPerLevel of each entity, in order.
func (w *breadth) level(ctx context.Context, frontier []string, whole bool) ([]knowledge.Step, error) {
	steps, err := w.walker.Step(ctx, w.workspaceID, frontier, w.walk, knowledge.StepLimits{
		EachEntity: knowledge.MaxEdgesPerLevel + 1, All: maxLevelEdges + 1, Whole: whole,
	})
	if err != nil {
		return nil, err
	}
	read := make(map[string]int, len(frontier))
	kept := steps[:0]
	for _, st := range steps {
		if read[st.Near]++; read[st.Near] > knowledge.MaxEdgesPerLevel || len(kept) == maxLevelEdges {
			w.truncated = true
			continue
		}
		kept = append(kept, st)
	}
	slices.SortFunc(kept, func(a, b knowledge.Step) int { return compareEdges(a.Edge, b.Edge) })
	return kept, nil
}

// complete reads what is missing of the edges on the paths.
func (w *breadth) complete(ctx context.Context) error {
	entity := map[string]string{} // by the id of the edge that is missing: which entity it reached
	var ids []string
	for _, r := range w.reached {
		for st := w.via[r.id]; st.Edge != nil; st = w.via[st.Near] {
			if _, asked := entity[st.Edge.ID]; !st.Whole && !asked {
				entity[st.Edge.ID] = st.Far
				ids = append(ids, st.Edge.ID)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	edges, err := w.walker.EdgesByID(ctx, w.workspaceID, ids)
	if err != nil {
		return err
	}
	for _, e := range edges {
		st := w.via[entity[e.ID]]
		st.Edge, st.Whole = e, true
		w.via[entity[e.ID]] = st
	}
	return nil
}

// path are the edges from a root to an entity that was reached; none where one of them
// was deleted since the walk came by.
func (w *breadth) path(id string) []*knowledge.Edge {
	var edges []*knowledge.Edge
	for st := w.via[id]; st.Edge != nil; st = w.via[st.Near] {
		if !st.Whole {
			return nil
		}
		edges = append(edges, st.Edge)
	}
	slices.Reverse(edges)
	return edges
}

// compareEdges orders edges by confidence, best first, then by creation time and id (SPEC B24).
func compareEdges(a, b *knowledge.Edge) int {
	return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// candidate is the best way to an entity so far.
type candidate struct {
	confidence      float64
	entities, edges []string
}

func (c candidate) better(o candidate) bool {
	return cmp.Or(cmp.Compare(o.confidence, c.confidence), slices.Compare(c.entities, o.entities), slices.Compare(c.edges, o.edges)) < 0
}

// shortestByHand is Walker.ShortestPath for walks that go one way on some types and
// both ways on others. LIMIT_EXCEEDED where a hop has more edges than are read.
func (s *Navigation) shortestByHand(ctx context.Context, workspaceID, from, to string, walk knowledge.Walk, maxHops int) (entities, edges []string, err error) {
	seen := map[string]bool{from: true}
	level := map[string]candidate{from: {confidence: 1, entities: []string{from}}}
	for range maxHops {
		frontier := make([]string, 0, len(level))
		for id := range level {
			frontier = append(frontier, id)
		}
		slices.Sort(frontier)
		steps, err := s.walker.Step(ctx, workspaceID, frontier, walk, knowledge.StepLimits{EachEntity: maxLevelEdges, All: maxLevelEdges})
		if err != nil {
			return nil, nil, err
		}
		if len(steps) >= maxLevelEdges {
			return nil, nil, knowledge.Limit("direction", "a hop of this path has more than %d edges: name edge types, or walk both ways", maxLevelEdges)
		}
		next := map[string]candidate{}
		for _, st := range steps {
			if seen[st.Far] {
				continue
			}
			near := level[st.Near]
			c := candidate{near.confidence * st.Edge.Confidence, append(slices.Clone(near.entities), st.Far), append(slices.Clone(near.edges), st.Edge.ID)}
			if best, ok := next[st.Far]; !ok || c.better(best) {
				next[st.Far] = c
			}
		}
		if best, ok := next[to]; ok {
			return best.entities, best.edges, nil
		}
		for id := range next {
			seen[id] = true
		}
		if level = next; len(level) == 0 {
			break
		}
	}
	return nil, nil, nil
}
