package service

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mneme/knowledge"
)

// factKinds are what is recalled besides entries, where it is asked for (SPEC T23).
var factKinds = []knowledge.RecallKind{knowledge.RecallEdge, knowledge.RecallObservation}

// factTexts are the edges or observations that match the words of the question, best first.
func (r *recallRun) factTexts(ctx context.Context, kind knowledge.RecallKind) (textRanking, error) {
	terms := knowledge.RecallTerms(r.query.Query)
	if len(terms) == 0 {
		return textRanking{}, nil
	}
	sizes, err := r.facts.FactSizes(ctx, kind, r.sel.WorkspaceID)
	if err != nil {
		return textRanking{}, err
	}
	// Nothing is known of the words' frequencies before candidates are read: each counts alike.
	found, err := r.facts.SearchFactTexts(ctx, kind, r.sel, terms, knowledge.LexicalStats{Documents: sizes.Workspace}, textCandidates)
	if err != nil {
		return textRanking{}, err
	}
	candidates := make([]knowledge.LexicalCandidate, len(found))
	for i, f := range found {
		candidates[i] = knowledge.LexicalCandidate{ID: f.ID, Text: knowledge.NewLexicalText(f.Text)}
	}
	stats := knowledge.CandidateStats(terms, candidates, sizes.Workspace)
	ideal := knowledge.LexicalScore(terms, knowledge.CountedText(knowledge.Analyze(r.query.Query), int(stats.AverageLength)), stats)
	return textRanking{hits: knowledge.RankLexical(terms, candidates, stats), ideal: ideal}, nil
}

// merge adds what was found of another kind. Each kind's scores are shares of what its
// texts could score at best, so that they can be compared.
func (t *textRanking) merge(other textRanking) {
	if t.ideal == 0 {
		t.hits, t.ideal = append(other.hits, t.hits...), other.ideal
		return
	}
	for _, h := range other.hits {
		if other.ideal > 0 {
			h.Score *= t.ideal / other.ideal
		}
		t.hits = append(t.hits, h)
	}
	slices.SortStableFunc(t.hits, func(a, b knowledge.LexicalHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
}

func (r *recallRun) factVectors(ctx context.Context, kind knowledge.RecallKind, q knowledge.EntryVectorQuery) ([]knowledge.EntryVectorHit, error) {
	sizes, err := r.facts.FactSizes(ctx, kind, r.sel.WorkspaceID)
	if err != nil {
		return nil, err
	}
	return r.facts.NearestFacts(ctx, kind, q, sizes, exactScan)
}

// addFacts reads the edges and observations among ids and checks each again: whether it
// is seen at the moment that is asked about, and whom it belongs to.
func (r *recallRun) addFacts(ctx context.Context, ids []string, items map[string]knowledge.RecallItem) error {
	var edgeIDs, remarkIDs []string
	for _, id := range ids {
		switch {
		case strings.HasPrefix(id, knowledge.PrefixEdge+"_"):
			edgeIDs = append(edgeIDs, id)
		case strings.HasPrefix(id, knowledge.PrefixObservation+"_"):
			remarkIDs = append(remarkIDs, id)
		}
	}
	if len(edgeIDs)+len(remarkIDs) == 0 {
		return nil
	}
	edges, err := r.edges.ByIDs(ctx, r.sel.WorkspaceID, edgeIDs)
	if err != nil {
		return err
	}
	remarks, err := r.remarks.ByIDs(ctx, r.sel.WorkspaceID, remarkIDs)
	if err != nil {
		return err
	}
	var owners []knowledge.EntityRef
	for _, e := range edges {
		owners = append(owners, knowledge.EntityRef{ID: e.FromID}, knowledge.EntityRef{ID: e.ToID})
	}
	for _, o := range remarks {
		owners = append(owners, knowledge.EntityRef{ID: o.EntityID})
	}
	persons, err := r.persons(ctx, owners)
	if err != nil {
		return err
	}
	for id, e := range edges {
		if seen := e.SeenAt(r.query.At, r.sel.Now); seen != nil && r.sel.Scope.PermitsPersons(persons(e.FromID, e.ToID)) {
			items[id] = seen
		}
	}
	for id, o := range remarks {
		if r.sel.Scope.PermitsPersons(persons(o.EntityID)) {
			items[id] = o
		}
	}
	return nil
}

// persons tells which of some entities are persons.
func (r *recallRun) persons(ctx context.Context, refs []knowledge.EntityRef) (func(ids ...string) []string, error) {
	found, _, err := r.entities.FindMany(ctx, r.sel.WorkspaceID, refs)
	if err != nil {
		return nil, err
	}
	is := make(map[string]bool)
	for i, e := range found {
		// What is not there any more is kept from everybody but those who see all.
		is[refs[i].ID] = e == nil || e.TypeKey == knowledge.TypePerson
	}
	return func(ids ...string) []string {
		return slices.DeleteFunc(ids, func(id string) bool { return !is[id] })
	}, nil
}
