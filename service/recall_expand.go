package service

import (
	"context"

	"mneme/knowledge"
)

// Expander reads what joins entries to others, inside a selection.
type Expander interface {
	// ExpandEntries are relations of entries, at most perNode of each direction of one.
	ExpandEntries(ctx context.Context, sel knowledge.EntrySelection, ids []string, perNode int) ([]*knowledge.Relation, error)
	// EntryMarks are the relations that say that entries are superseded or disputed, at most
	// perNode of each kind of one.
	EntryMarks(ctx context.Context, sel knowledge.EntrySelection, ids []string, perNode int) ([]*knowledge.Relation, error)
	// BesideEntries are the neighbours of entries in their threads, up to reach on each side.
	BesideEntries(ctx context.Context, sel knowledge.EntrySelection, ids []string, reach int) ([]knowledge.Beside, error)
	// EntriesAbout are what is about entities by its writers' word, at most limit of each.
	EntriesAbout(ctx context.Context, sel knowledge.EntrySelection, entityIDs []string, limit int) ([]knowledge.AboutEntity, error)
	// EntriesAboutMentioned is EntriesAbout for the entities that the texts of entries name.
	EntriesAboutMentioned(ctx context.Context, sel knowledge.EntrySelection, ids []string, limit int) ([]knowledge.AboutEntity, error)
}

// expands tells whether the recall walks relations: where it is asked for, else as the
// feature says, which a request cannot switch on (SPEC Q4, L20).
func (r *recallRun) expands() bool {
	on := knowledge.FeatureOn(r.features, knowledge.FeatureGraphRetrieval)
	wanted := r.query.Expand == nil || *r.query.Expand
	if !on && r.query.Expand != nil && wanted {
		r.degrade(knowledge.LegExpansion, "the feature ai_knowledge_graph_retrieval is off")
	}
	return on && wanted
}

// walk follows relations from seeds, one query a hop. What is not inside the selection is
// not read, so whatever is read is visible.
func (r *recallRun) walk(ctx context.Context, seeds []string) (*knowledge.Expansion, error) {
	x := knowledge.NewExpansion(seeds, knowledge.ExpansionLimits{Hops: r.query.Hops, Budget: r.query.NeighborBudget})
	for frontier := x.Frontier(); len(frontier) > 0; frontier = x.Frontier() {
		relations, err := r.expander.ExpandEntries(ctx, r.sel, frontier, knowledge.LinksPerNode)
		if err != nil {
			return nil, err
		}
		links := make([]knowledge.Link, len(relations))
		for i, relation := range relations {
			links[i] = knowledge.RelationLink(relation)
		}
		visible := make(map[string]bool)
		for _, id := range x.Unknown(links) {
			visible[id] = true
		}
		x.Advance(links, visible)
	}
	if len(x.Neighbours())+len(x.Relations()) > 0 {
		r.result.Mode = knowledge.ModeGraph // otherwise it is the flat result (SPEC L19)
	}
	return x, nil
}

// marksOf are the relations that say that some of ids are superseded or disputed. The
// other end is of the scope and of the moment; it need not be of the types that are asked
// for.
func (r *recallRun) marksOf(ctx context.Context, ids []string) []*knowledge.Relation {
	sel := r.sel
	sel.Filter.Types = nil
	relations, err := r.expander.EntryMarks(ctx, sel, ids, knowledge.MaxVia)
	if err != nil {
		r.failed(ctx, knowledge.LegExpansion, err)
	}
	return relations
}

// best is the better ranking (docs/RETRIEVAL.md). What fails of it is left out and named.
func (r *recallRun) best(ctx context.Context, expand bool) []knowledge.RankedEntry {
	ranking := knowledge.NewBestRanking(r.vector, r.text.hits, r.text.ideal)
	if err := r.addThreads(ctx, ranking); err != nil {
		r.failed(ctx, knowledge.LegRanking, err)
	}
	if !expand {
		return ranking.Ranked(nil)
	}
	if err := r.addMentions(ctx, ranking); err != nil {
		r.failed(ctx, knowledge.LegMentions, err)
	}
	x, err := r.walk(ctx, ranking.Top(knowledge.MaxSeeds))
	if err != nil {
		r.failed(ctx, knowledge.LegExpansion, err)
		return ranking.Ranked(nil)
	}
	ranking.AddRelations(x)
	return ranking.Ranked(x.Relations())
}

func (r *recallRun) addThreads(ctx context.Context, ranking *knowledge.BestRanking) error {
	threads := make(map[string]string)
	for _, h := range r.vector {
		threads[h.ID] = h.Thread
	}
	for id, thread := range r.text.threads {
		threads[id] = thread
	}
	var ids []string
	for _, id := range ranking.Top(knowledge.BesideFrom) {
		if threads[id] != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	beside, err := r.expander.BesideEntries(ctx, r.sel, ids, knowledge.BesideReach)
	if err == nil {
		ranking.AddThreads(threads, beside)
	}
	return err
}

// addMentions goes from the entities that the question names, and from those that the
// best entries mention, to what is about them.
func (r *recallRun) addMentions(ctx context.Context, ranking *knowledge.BestRanking) error {
	ranking.AddAnchors(r.anchors)
	frontier := ranking.Top(knowledge.MentionSeeds)
	for hop := 1; hop <= r.query.Hops && len(frontier) > 0; hop++ {
		links, err := r.expander.EntriesAboutMentioned(ctx, r.sel, frontier, knowledge.DefiningEntries+1)
		if err != nil {
			return err
		}
		reached := ranking.AddMentioned(links, hop, r.query.NeighborBudget)
		if len(reached) > 0 {
			r.result.Mode = knowledge.ModeGraph
		}
		frontier = reached[:min(len(reached), knowledge.MentionSeeds)]
	}
	return nil
}
