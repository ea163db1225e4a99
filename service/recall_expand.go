package service

import (
	"context"
	"log/slog"

	"mneme/knowledge"
)

// Expander reads what joins entries to others, inside a selection.
type Expander interface {
	// ExpandEntries are relations of entries, at most perNode of each direction of one.
	ExpandEntries(ctx context.Context, sel knowledge.EntrySelection, ids []string, perNode int) ([]*knowledge.Relation, error)
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

// expanded is the ranking with what relations lead to. Where that fails the flat ranking stands (SPEC L20).
func (r *recallRun) expanded(ctx context.Context, vector, text []string, flat []knowledge.RankedEntry) []knowledge.RankedEntry {
	ranked, err := r.walk(ctx, vector, text)
	if err != nil {
		if ctx.Err() == nil {
			r.log.WarnContext(ctx, "recall without expansion", slog.Any("cause", err))
		}
		r.degrade(knowledge.LegExpansion, reasonOf(err))
		return flat
	}
	return ranked
}

func (r *recallRun) walk(ctx context.Context, vector, text []string) ([]knowledge.RankedEntry, error) {
	seeds := knowledge.Seeds(knowledge.RankFlat(vector, text, knowledge.MaxSeeds))
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
		// What is not inside the selection was not read, so all that is unknown is visible.
		visible := make(map[string]bool)
		for _, id := range x.Unknown(links) {
			visible[id] = true
		}
		x.Advance(links, visible)
	}
	if err := r.admit(ctx, x); err != nil {
		return nil, err
	}
	if len(x.Neighbours())+len(x.Relations()) > 0 {
		r.result.Mode = knowledge.ModeGraph // otherwise it is the flat result (SPEC L19)
	}
	return knowledge.RankExpanded(vector, text, x, r.query.Limit), nil
}

// admit reads the neighbours and checks each again (SPEC L21). One that may not be seen
// any more, because it changed since it was found, spoils the expansion.
func (r *recallRun) admit(ctx context.Context, x *knowledge.Expansion) error {
	var ids []string
	for _, n := range x.Neighbours() {
		if r.known[n.ID] == nil {
			ids = append(ids, n.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := r.entries.EntriesByID(ctx, r.sel.WorkspaceID, ids)
	if err != nil {
		return err
	}
	for _, e := range found {
		if r.sel.Permits(e) {
			r.known[e.ID] = e
		}
	}
	for _, id := range ids {
		if r.known[id] == nil {
			return knowledge.Errorf(knowledge.CodeConflict, "what was found changed meanwhile")
		}
	}
	return nil
}
