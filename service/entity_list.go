package service

import (
	"context"
	"slices"

	"mneme/knowledge"
)

// EntityLister lists and searches entities. The full-text methods give candidates: their
// order means nothing.
type EntityLister interface {
	Entities(ctx context.Context, workspaceID string, f knowledge.EntityFilter, order knowledge.EntityOrder, from *knowledge.Cursor, backward bool, limit int) ([]*knowledge.Entity, error)
	CountEntities(ctx context.Context, workspaceID string, f knowledge.EntityFilter) (int, error)
	EntitiesByName(ctx context.Context, workspaceID string, ref knowledge.EntityRef) ([]*knowledge.Entity, error)
	SearchEntities(ctx context.Context, workspaceID, lucene string, limit int) ([]knowledge.EntityText, error)
	SearchObservations(ctx context.Context, workspaceID, lucene string, types []string, limit int) ([]knowledge.EntityText, error)
	EntitiesContaining(ctx context.Context, workspaceID, text string, types []string, limit int) ([]*knowledge.Entity, error)
}

// List pages through a workspace's entities.
func (s *Entities) List(ctx context.Context, workspaceID string, filter knowledge.EntityFilter, order knowledge.EntityOrder, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Entity], error) {
	if err := checkFilter(&filter); err != nil {
		return nil, err
	}
	return pageOf(page, func(from *knowledge.Cursor, limit int) ([]*knowledge.Entity, error) {
		return s.lists.Entities(ctx, workspaceID, filter, order, from, page.Last, limit)
	}, func(e *knowledge.Entity) knowledge.Cursor { return knowledge.EntityCursor(e, order.Field) })
}

// Count is the number of entities that fit a filter.
func (s *Entities) Count(ctx context.Context, workspaceID string, filter knowledge.EntityFilter) (int, error) {
	if err := checkFilter(&filter); err != nil {
		return 0, err
	}
	return s.lists.CountEntities(ctx, workspaceID, filter)
}

func checkFilter(f *knowledge.EntityFilter) error {
	f.Types = typeKeys(f.Types)
	if len(f.Types) > knowledge.MaxEntityTypes {
		return knowledge.Limit("filter.types", "has more than %d types", knowledge.MaxEntityTypes)
	}
	if f.MinConfidence != nil {
		if err := knowledge.CheckConfidence("filter.minConfidence", *f.MinConfidence); err != nil {
			return err
		}
	}
	return knowledge.CheckText("filter.nameContains", f.NameContains, knowledge.MaxNameLength)
}

// typeKeys are the keys of type names as callers write them; a name of nothing stays one that no type has.
func typeKeys(names []string) []string {
	keys := make([]string, 0, len(names))
	for _, name := range names {
		keys = append(keys, knowledge.TypeKey(name))
	}
	return keys
}

// How many documents the index gives for ranking; results stop at 50.
const (
	searchCandidates = 300
	scopedCandidates = 3_000
)

// Boosts of the fields by which Lucene picks its candidates; the ranking is ours.
const (
	nameBoost = 2.0
	textBoost = 1.0
)

// Search finds entities by full text, best first, at most 50 in all (SPEC J14–J17).
// A blank query finds nothing.
func (s *Entities) Search(ctx context.Context, workspaceID, query string, types []string, page knowledge.PageRequest) (*knowledge.Page[knowledge.ScoredEntity], error) {
	if page.First > knowledge.MaxSearchResults {
		return nil, knowledge.Invalid("first", "must be from 1 to %d", knowledge.MaxSearchResults)
	}
	found, err := s.search(ctx, workspaceID, query, typeKeys(types))
	if err != nil {
		return nil, err
	}
	return slicePage(page, found, func(e knowledge.ScoredEntity) knowledge.Cursor { return knowledge.Cursor{ID: e.Entity.ID} })
}

// SearchCount is how many results Search has in all, at most 50.
func (s *Entities) SearchCount(ctx context.Context, workspaceID, query string, types []string) (int, error) {
	found, err := s.search(ctx, workspaceID, query, typeKeys(types))
	return len(found), err
}

func (s *Entities) search(ctx context.Context, workspaceID, query string, types []string) ([]knowledge.ScoredEntity, error) {
	return s.searchIn(ctx, workspaceID, query, types, knowledge.Scope{})
}

// searchIn is search inside a scope, which is applied before anything is counted or cut.
func (s *Entities) searchIn(ctx context.Context, workspaceID, query string, types []string, scope knowledge.Scope) ([]knowledge.ScoredEntity, error) {
	if err := knowledge.CheckText("query", query, knowledge.MaxTextLength); err != nil {
		return nil, err
	}
	found, err := s.searchText(ctx, workspaceID, query, types, scope)
	if err != nil {
		return nil, err
	}
	if len(found) < knowledge.MaxSearchResults {
		if found, err = s.fillFromObservations(ctx, workspaceID, query, types, scope, found); err != nil {
			return nil, err
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return s.searchSubstring(ctx, workspaceID, query, types, scope)
}

// searchText ranks what the index finds by names and descriptions (SPEC J15).
func (s *Entities) searchText(ctx context.Context, workspaceID, query string, types []string, scope knowledge.Scope) ([]knowledge.ScoredEntity, error) {
	terms := knowledge.QueryTerms(query, knowledge.MaxQueryTerms)
	filters := []knowledge.LuceneFilter{{Field: "workspaceId", Values: []string{workspaceID}}}
	if len(types) > 0 {
		filters = append(filters, knowledge.LuceneFilter{Field: "type", Values: types})
	}
	lucene := knowledge.LuceneQuery(knowledge.LuceneRequest{
		Filters: filters, Terms: terms, Prefix: true,
		Fields: []knowledge.LuceneField{{Name: "searchName", Boost: nameBoost}, {Name: "searchText", Boost: textBoost}},
	})
	if lucene == "" {
		return nil, nil
	}
	texts, err := s.lists.SearchEntities(ctx, workspaceID, lucene, candidatesIn(scope))
	if err != nil {
		return nil, err
	}
	candidates := make([]knowledge.LexicalCandidate, 0, len(texts))
	byID := make(map[string]*knowledge.Entity, len(texts))
	for _, t := range permittedTexts(texts, scope) {
		byID[t.Entity.ID] = t.Entity
		candidates = append(candidates, knowledge.LexicalCandidate{
			ID: t.Entity.ID, Name: knowledge.NewLexicalText(t.SearchName), Text: knowledge.NewLexicalText(t.SearchText),
		})
	}
	total, err := s.lists.CountEntities(ctx, workspaceID, knowledge.EntityFilter{})
	if err != nil {
		return nil, err
	}
	hits := knowledge.RankLexical(terms, candidates, knowledge.CandidateStats(terms, candidates, total))
	out := make([]knowledge.ScoredEntity, 0, len(hits))
	for _, h := range hits[:min(len(hits), knowledge.MaxSearchResults)] {
		out = append(out, knowledge.ScoredEntity{Entity: byID[h.ID], Score: h.Score})
	}
	return out, nil
}

// fillFromObservations appends entities whose observations mention the query's distinctive
// terms, by the share of terms found, then by confidence (SPEC J16). Their scores stay
// below those of what was found by name or description.
func (s *Entities) fillFromObservations(ctx context.Context, workspaceID, query string, types []string, scope knowledge.Scope, found []knowledge.ScoredEntity) ([]knowledge.ScoredEntity, error) {
	terms := knowledge.DistinctiveTerms(query)
	lucene := knowledge.LuceneQuery(knowledge.LuceneRequest{
		Filters: []knowledge.LuceneFilter{{Field: "workspaceId", Values: []string{workspaceID}}},
		Fields:  []knowledge.LuceneField{{Name: "searchText", Boost: textBoost}}, Terms: terms,
	})
	if lucene == "" {
		return found, nil
	}
	texts, err := s.lists.SearchObservations(ctx, workspaceID, lucene, types, candidatesIn(scope))
	if err != nil {
		return nil, err
	}
	return knowledge.FillByShare(found, terms, permittedTexts(texts, scope), knowledge.MaxSearchResults), nil
}

// searchSubstring is the last resort: names and descriptions that contain the query as it
// stands, with the score 1 / position (SPEC J17).
func (s *Entities) searchSubstring(ctx context.Context, workspaceID, query string, types []string, scope knowledge.Scope) ([]knowledge.ScoredEntity, error) {
	text := knowledge.NormalizeName(query)
	if text == "" {
		return nil, nil
	}
	list, err := s.lists.EntitiesContaining(ctx, workspaceID, text, types, candidatesIn(scope))
	if err != nil {
		return nil, err
	}
	out := make([]knowledge.ScoredEntity, 0, len(list))
	for _, e := range list {
		if scope.PermitsEntity(e) && len(out) < knowledge.MaxSearchResults {
			out = append(out, knowledge.ScoredEntity{Entity: e, Score: 1 / float64(len(out)+1)})
		}
	}
	return out, nil
}

// candidatesIn is how many candidates are read: more where a scope leaves some of them out.
func candidatesIn(scope knowledge.Scope) int {
	if scope.Bounded() {
		return scopedCandidates
	}
	return searchCandidates
}

func permittedTexts(texts []knowledge.EntityText, scope knowledge.Scope) []knowledge.EntityText {
	return slices.DeleteFunc(texts, func(t knowledge.EntityText) bool { return !scope.PermitsEntity(t.Entity) })
}
