package service

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"mneme/knowledge"
)

// GraphReader reads what the entity graph knows around a query's words.
type GraphReader interface {
	EntitiesBySlug(ctx context.Context, workspaceID string, slugs []string) ([]knowledge.NamedEntity, error)
	// EdgesTouching are the edges of entities at a moment that a scope permits, the oldest first.
	EdgesTouching(ctx context.Context, workspaceID string, entityIDs []string, at knowledge.TimePoint, now time.Time, scope knowledge.Scope) ([]knowledge.NamedEdge, error)
}

// SymbolReader names the symbols of code that stand near entities (SPEC P15).
type SymbolReader interface {
	SymbolsNear(ctx context.Context, workspaceID string, entityIDs []string, limit int) ([]string, error)
}

// Expansions widen queries by what the entity graph knows.
type Expansions struct {
	graph    GraphReader
	symbols  SymbolReader // nil: no code
	features func(*knowledge.Workspace) []knowledge.Feature
	clock    Clock
	log      *slog.Logger
}

// ExpansionsConfig is what Expansions needs.
type ExpansionsConfig struct {
	Graph    GraphReader
	Symbols  SymbolReader // nil: no code
	Features func(*knowledge.Workspace) []knowledge.Feature
	Clock    Clock
	Log      *slog.Logger // nil: nothing is logged
}

// NewExpansions makes the use case.
func NewExpansions(c ExpansionsConfig) *Expansions {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Expansions{graph: c.Graph, symbols: c.Symbols, features: c.Features, clock: c.Clock, log: c.Log}
}

// maxExpansionTerms bounds the terms that a caller may ask for.
const maxExpansionTerms = knowledge.DefaultExpansionTerms

// Expand is a query with the terms that the graph knows around it, at most maxTerms, 1 to
// 26 (SPEC O9 to O13). Where the graph knows nothing, is switched off, or cannot be read,
// the query is as it was (O11).
func (s *Expansions) Expand(ctx context.Context, ws *knowledge.Workspace, text string, maxTerms int, at knowledge.TimePoint) (*knowledge.QueryExpansion, error) {
	if err := knowledge.CheckText("text", text, knowledge.MaxTextLength); err != nil {
		return nil, err
	}
	if err := within("maxTerms", maxTerms, 1, maxExpansionTerms); err != nil {
		return nil, err
	}
	x := s.around(ctx, ws, text, at, knowledge.Scope{}).Expand(text, maxTerms)
	return &x, nil
}

// around is what the graph knows around a query, inside a scope; empty where it cannot be read.
func (s *Expansions) around(ctx context.Context, ws *knowledge.Workspace, query string, at knowledge.TimePoint, scope knowledge.Scope) knowledge.QueryGraph {
	slugs := knowledge.QuerySlugs(query)
	if s == nil || len(slugs) == 0 || !knowledge.FeatureOn(s.features(ws), knowledge.FeatureGraph) {
		return knowledge.QueryGraph{}
	}
	g, err := s.read(ctx, ws, slugs, at, scope)
	if err != nil {
		if ctx.Err() == nil {
			s.log.WarnContext(ctx, "query is not expanded", slog.Any("cause", err))
		}
		return knowledge.QueryGraph{}
	}
	return g
}

func (s *Expansions) read(ctx context.Context, ws *knowledge.Workspace, slugs []string, at knowledge.TimePoint, scope knowledge.Scope) (knowledge.QueryGraph, error) {
	var g knowledge.QueryGraph
	var err error
	if g.Entities, err = s.graph.EntitiesBySlug(ctx, ws.ID, slugs); err != nil {
		return knowledge.QueryGraph{}, err
	}
	g.Entities = slices.DeleteFunc(g.Entities, func(e knowledge.NamedEntity) bool {
		return !scope.PermitsEntity(&knowledge.Entity{ID: e.ID, TypeKey: e.Type})
	})
	if len(g.Entities) == 0 {
		return knowledge.QueryGraph{}, nil
	}
	ids := make([]string, len(g.Entities))
	for i, e := range g.Entities {
		ids[i] = e.ID
	}
	if g.Edges, err = s.graph.EdgesTouching(ctx, ws.ID, ids, at, s.clock(), scope); err != nil {
		return knowledge.QueryGraph{}, err
	}
	if s.symbols != nil && knowledge.FeatureOn(s.features(ws), knowledge.FeatureCodeGraph) {
		g.Symbols, err = s.symbols.SymbolsNear(ctx, ws.ID, ids, knowledge.MaxExpansionSymbols)
	}
	return g, err
}
