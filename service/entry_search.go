package service

import (
	"context"
	"slices"

	"mneme/knowledge"
)

// Searcher finds candidates inside a selection, which every query applies itself.
type Searcher interface {
	// SearchEntryTexts gives candidates for terms; their order means nothing.
	SearchEntryTexts(ctx context.Context, sel knowledge.EntrySelection, terms []knowledge.Term, stats knowledge.LexicalStats, enough int) ([]knowledge.EntryTextHit, error)
	// NearestEntries looks at every entry of a part of the scope.
	NearestEntries(ctx context.Context, q knowledge.EntryVectorQuery) ([]knowledge.EntryVectorHit, error)
	// NearestIndexed asks the vector index; false where that cannot find enough. share is
	// which part of all entries the scope's part is.
	NearestIndexed(ctx context.Context, q knowledge.EntryVectorQuery, share float64) ([]knowledge.EntryVectorHit, bool, error)
	EntrySizes(ctx context.Context, workspaceID string) (knowledge.EntrySizes, error)
	// EntryVersion looks at every entry of a workspace, and is for small ones.
	EntryVersion(ctx context.Context, workspaceID string) (knowledge.EntryVersion, error)
	ContactSize(ctx context.Context, workspaceID, contactID string) (int, error)
	EntrySample(ctx context.Context, workspaceID string, limit int) ([]knowledge.EntryTextHit, error)
	// VectorGaps are the entries that a model's vector search cannot find.
	VectorGaps(ctx context.Context, workspaceID string, model knowledge.EmbeddingModel) (awaiting int, otherModel string, err error)
}

// FactSearcher finds edges and observations inside a selection (SPEC T23).
type FactSearcher interface {
	SearchFactTexts(ctx context.Context, kind knowledge.RecallKind, sel knowledge.EntrySelection, terms []knowledge.Term, stats knowledge.LexicalStats, enough int) ([]knowledge.EntryTextHit, error)
	// NearestFacts looks at every one where there are at most exact, and asks the index above.
	NearestFacts(ctx context.Context, kind knowledge.RecallKind, q knowledge.EntryVectorQuery, sizes knowledge.EntrySizes, exact int) ([]knowledge.EntryVectorHit, error)
	FactSizes(ctx context.Context, kind knowledge.RecallKind, workspaceID string) (knowledge.EntrySizes, error)
}

// exactScan is up to how many entries a vector is compared with every one of them.
// Above, the vector index is quicker.
const exactScan = 5_000

// textCandidates is how many candidates the index gives for ranking by the workspace's own statistics.
const textCandidates = 300

// EntrySearch finds entries by their words and by vectors, inside a selection.
type EntrySearch struct {
	port  Searcher
	stats *statsCache
}

// NewEntrySearch makes a search with its own statistics of workspaces.
func NewEntrySearch(port Searcher) *EntrySearch {
	return &EntrySearch{port: port, stats: newStatsCache(port)}
}

// textRanking is what a search by words found.
type textRanking struct {
	hits    []knowledge.LexicalHit // best first
	threads map[string]string      // of the entries, where they have one
	ideal   float64                // what a text of usual length would score that has all the words
}

// texts are the entries that match the words of a question, best first.
func (s *EntrySearch) texts(ctx context.Context, sel knowledge.EntrySelection, question string) (textRanking, error) {
	terms := knowledge.RecallTerms(question)
	if len(terms) == 0 {
		return textRanking{}, nil
	}
	stats, err := s.stats.of(ctx, sel.WorkspaceID)
	if err != nil {
		return textRanking{}, err
	}
	found, err := s.port.SearchEntryTexts(ctx, sel, terms, stats.words.For(terms, nil), textCandidates)
	if err != nil {
		return textRanking{}, err
	}
	out := textRanking{threads: make(map[string]string, len(found))}
	candidates := make([]knowledge.LexicalCandidate, len(found))
	for i, f := range found {
		candidates[i] = knowledge.LexicalCandidate{ID: f.ID, Text: knowledge.CountedText(f.Text, f.Length)}
		if f.Thread != "" {
			out.threads[f.ID] = f.Thread
		}
	}
	weights := stats.words.For(terms, candidates)
	out.hits = knowledge.RankLexical(terms, candidates, weights)
	out.ideal = knowledge.LexicalScore(terms, knowledge.CountedText(knowledge.Analyze(question), int(weights.AverageLength)), weights)
	return out, nil
}

// vectors are the entries nearest to a vector, in all parts of the selection's scope.
func (s *EntrySearch) vectors(ctx context.Context, q knowledge.EntryVectorQuery) ([]knowledge.EntryVectorHit, error) {
	stats, err := s.stats.of(ctx, q.Selection.WorkspaceID)
	if err != nil {
		return nil, err
	}
	var all []knowledge.EntryVectorHit
	for _, part := range q.Selection.Parts() {
		q.Part = part
		hits, err := s.nearest(ctx, q, stats.sizes)
		if err != nil {
			return nil, err
		}
		all = append(all, hits...)
	}
	slices.SortFunc(all, knowledge.CompareVectorHits)
	return all[:min(len(all), q.Limit)], nil
}

// nearest looks at every entry of a small part, and asks the index for a large one.
func (s *EntrySearch) nearest(ctx context.Context, q knowledge.EntryVectorQuery, sizes knowledge.EntrySizes) ([]knowledge.EntryVectorHit, error) {
	size := sizes.Workspace
	switch q.Part {
	case knowledge.PartGeneral:
		size = sizes.General
	case knowledge.PartContact:
		contact := q.Selection.Scope.ContactID
		if q.Selection.AboutID != "" {
			contact = q.Selection.AboutID
		}
		var err error
		if size, err = s.port.ContactSize(ctx, q.Selection.WorkspaceID, contact); err != nil {
			return nil, err
		}
	}
	if size > exactScan {
		hits, enough, err := s.port.NearestIndexed(ctx, q, float64(size)/float64(max(1, sizes.Database)))
		if err != nil || enough {
			return hits, err
		}
	}
	return s.port.NearestEntries(ctx, q)
}

// ScoredEntry is a search result.
type ScoredEntry struct {
	Entry *knowledge.Entry
	Score float64
}

// Search finds entries by full text, best first, at most 50 in all. A blank query finds nothing.
func (s *Entries) Search(ctx context.Context, ws *knowledge.Workspace, query string, filter knowledge.EntryFilter, expand bool, at knowledge.TimePoint, page knowledge.PageRequest) (*knowledge.Page[ScoredEntry], error) {
	if page.First > knowledge.MaxSearchResults {
		return nil, knowledge.Invalid("first", "must be from 1 to %d", knowledge.MaxSearchResults)
	}
	found, err := s.found(ctx, ws, query, filter, expand, at)
	if err != nil {
		return nil, err
	}
	return slicePage(page, found, func(e ScoredEntry) knowledge.Cursor { return knowledge.Cursor{ID: e.Entry.ID} })
}

// SearchCount is how many results Search has in all, at most 50.
func (s *Entries) SearchCount(ctx context.Context, ws *knowledge.Workspace, query string, filter knowledge.EntryFilter, expand bool, at knowledge.TimePoint) (int, error) {
	found, err := s.found(ctx, ws, query, filter, expand, at)
	return len(found), err
}

func (s *Entries) found(ctx context.Context, ws *knowledge.Workspace, query string, filter knowledge.EntryFilter, expand bool, at knowledge.TimePoint) ([]ScoredEntry, error) {
	if err := knowledge.CheckText("query", query, knowledge.MaxTextLength); err != nil {
		return nil, err
	}
	list, err := s.listQuery(ctx, ws.ID, filter, at)
	if err != nil {
		return nil, err
	}
	if !knowledge.FeatureOn(s.features(ws), knowledge.FeatureAIKnowledge) {
		return nil, nil
	}
	sel := knowledge.EntrySelection{WorkspaceID: ws.ID, Scope: knowledge.Scope{OrgWide: true}, AboutID: list.ContactID, Filter: filter, At: at, Now: list.Now}
	var graph knowledge.QueryGraph
	if expand {
		graph = s.expansions.around(ctx, ws, query, at, sel.Scope)
		query = graph.Expand(query, knowledge.DefaultExpansionTerms).Expanded
	}
	ranking, err := s.search.texts(ctx, sel, query)
	if err != nil {
		return nil, err
	}
	hits := ranking.hits[:min(len(ranking.hits), knowledge.MaxSearchResults)]
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	byID, err := s.ByIDs(ctx, ws.ID, ids)
	if err != nil {
		return nil, err
	}
	out := make([]ScoredEntry, 0, len(hits))
	for _, h := range hits {
		if e := byID[h.ID]; e != nil && sel.Permits(e) {
			out = append(out, ScoredEntry{Entry: e, Score: h.Score})
		}
	}
	return knowledge.RerankByConnectivity(graph, out, func(e ScoredEntry) string { return e.Entry.Title + "\n" + e.Entry.Content }), nil
}
