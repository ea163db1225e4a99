package service

import (
	"context"
	"strings"

	"mneme/knowledge"
)

// Contexts say what the entity graph knows about a prompt.
type Contexts struct {
	entities *Entities
	edges    *Edges
	features func(*knowledge.Workspace) []knowledge.Feature
}

// NewContexts makes the use case.
func NewContexts(entities *Entities, edges *Edges, features func(*knowledge.Workspace) []knowledge.Feature) *Contexts {
	return &Contexts{entities: entities, edges: edges, features: features}
}

// Of is the context of a prompt (SPEC I1 to I5): the entities that it names or is about,
// each with its best edges. It is empty where nothing is found or the graph is switched
// off. Where the workspace goes without time (temporalKnowledge off) and none is asked
// for, edges that have ended count too.
func (s *Contexts) Of(ctx context.Context, ws *knowledge.Workspace, q knowledge.ContextQuery) (*knowledge.GraphContext, error) {
	out := &knowledge.GraphContext{Edges: []*knowledge.Edge{}, Entities: []*knowledge.Entity{}}
	if err := q.Checked(); err != nil {
		return nil, err
	}
	if strings.TrimSpace(q.Prompt) == "" || !knowledge.FeatureOn(s.features(ws), knowledge.FeatureGraph) {
		return out, nil
	}
	found, err := s.entities.searchIn(ctx, ws.ID, q.Prompt, nil, q.Scope)
	if err != nil || len(found) == 0 {
		return out, err
	}
	ids := make([]string, 0, q.MaxEntities)
	for _, f := range found[:min(len(found), q.MaxEntities)] {
		out.Entities = append(out.Entities, f.Entity)
		ids = append(ids, f.Entity.ID)
	}
	at := q.At
	if !ws.Memory.TemporalKnowledge && at.AsOf == nil && at.KnownAt == nil {
		at.IncludeHistory = true
	}
	pages, err := s.edges.OfEntities(ctx, ws.ID, ids, EdgeQuery{Direction: knowledge.Both, At: at, Scope: q.Scope}, knowledge.PageRequest{First: knowledge.ContextEdgesPerEntity})
	if err != nil {
		return nil, err
	}
	lines := make([]knowledge.ContextEntity, len(ids))
	seen := map[string]bool{}
	var ends []string
	for i, e := range out.Entities {
		lines[i] = knowledge.ContextEntity{Entity: e, Edges: pages[e.ID].Items}
		for _, edge := range lines[i].Edges {
			ends = append(ends, edge.FromID, edge.ToID)
			if !seen[edge.ID] {
				seen[edge.ID] = true
				out.Edges = append(out.Edges, edge)
			}
		}
	}
	names, err := s.edges.c.Lists.EntityNames(ctx, ws.ID, ends)
	if err != nil {
		return nil, err
	}
	for i := range lines {
		lines[i].Names = names
	}
	out.Text, out.Truncated = knowledge.ContextText(lines, q.MaxCharacters)
	return out, nil
}

// Text is Of for a briefing: the text alone, with the usual limits.
func (s *Contexts) Text(ctx context.Context, ws *knowledge.Workspace, prompt string, scope knowledge.Scope, at knowledge.TimePoint) (string, error) {
	found, err := s.Of(ctx, ws, knowledge.ContextQuery{
		Prompt: prompt, MaxEntities: knowledge.DefaultContextEntities, MaxCharacters: knowledge.DefaultContextCharacters, At: at, Scope: scope,
	})
	if err != nil {
		return "", err
	}
	return found.Text, nil
}
