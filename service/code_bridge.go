package service

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mneme/knowledge"
)

// Bridges joins entities to the symbols of their names, and says for which there are more than 20 (SPEC P14). It
// is computed from the names as they are now, so that no bridge is ever stale.
func (s *Code) Bridges(ctx context.Context, workspaceID string, entities []*knowledge.Entity) (map[string][]*knowledge.Bridge, map[string]bool, error) {
	var slugs []string
	for _, e := range entities {
		slugs = append(slugs, knowledge.BridgeSlugs(e)...)
	}
	slices.Sort(slugs)
	slugs = slices.Compact(slugs)
	bridges, cut := map[string][]*knowledge.Bridge{}, map[string]bool{}
	if len(slugs) == 0 {
		return bridges, cut, nil
	}
	symbols, err := s.c.Walker.SymbolsOfSlugs(ctx, workspaceID, slugs, knowledge.MaxBridges+1)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entities {
		var of []*knowledge.CodeSymbol
		for _, slug := range knowledge.BridgeSlugs(e) {
			of = append(of, symbols[slug]...)
		}
		if found, more := knowledge.CutBridges(e, of); len(found) > 0 {
			bridges[e.ID], cut[e.ID] = found, more
		}
	}
	return bridges, cut, nil
}

// BridgedTo are the bridges that lead to symbols, by the symbols' ids, in the order of the entities' ids.
func (s *Code) BridgedTo(ctx context.Context, workspaceID string, symbolIDs []string) (map[string][]*knowledge.Bridge, error) {
	symbols, err := s.c.Reader.CodeSymbolsByID(ctx, workspaceID, symbolIDs)
	if err != nil {
		return nil, err
	}
	names := map[string][]string{}
	for _, sym := range symbols {
		if slug := knowledge.BridgeSlug(sym.Name); slug != "" {
			names[slug] = append(names[slug], knowledge.NamesakeKeys(sym.Name)...)
		}
	}
	if len(names) == 0 {
		return map[string][]*knowledge.Bridge{}, nil
	}
	namesakes, err := s.c.Walker.CodeNamesakes(ctx, workspaceID, names)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, of := range namesakes {
		ids = append(ids, of...)
	}
	entities, err := s.c.Entities.ByIDs(ctx, workspaceID, ids)
	if err != nil {
		return nil, err
	}
	list := make([]*knowledge.Entity, 0, len(entities))
	for _, e := range entities {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *knowledge.Entity) int { return strings.Compare(a.ID, b.ID) })
	bridges, _, err := s.Bridges(ctx, workspaceID, list)
	if err != nil {
		return nil, err
	}
	out := map[string][]*knowledge.Bridge{}
	for _, e := range list {
		for _, b := range bridges[e.ID] {
			if sym, ok := b.Symbol.(*knowledge.CodeSymbol); ok && slices.Contains(symbolIDs, sym.ID()) {
				out[sym.ID()] = append(out[sym.ID()], b)
			}
		}
	}
	return out, nil
}

// CodeNeighborQuery asks for the files near the symbols of an entity.
type CodeNeighborQuery struct {
	EntityID string
	Hops     int
	First    int
}

// Neighbors are the files near the symbols that an entity is joined to, the nearest first, then by path (SPEC
// P15). Truncated where there are more files, or more symbols of that name. NOT_FOUND (id).
func (s *Code) Neighbors(ctx context.Context, ws *knowledge.Workspace, q CodeNeighborQuery) (*knowledge.CodeNeighborhood, error) {
	if err := s.enabled(ws); err != nil {
		return nil, err
	}
	if err := within("hops", q.Hops, 1, knowledge.MaxHops); err != nil {
		return nil, err
	}
	if err := within("first", q.First, 1, knowledge.MaxPage); err != nil {
		return nil, err
	}
	found, err := s.c.Entities.ByIDs(ctx, ws.ID, []string{q.EntityID})
	if err != nil {
		return nil, err
	}
	e := found[q.EntityID]
	if e == nil {
		return nil, knowledge.NotFound("id", "there is no entity %q", q.EntityID)
	}
	return s.near(ctx, ws.ID, []*knowledge.Entity{e}, q)
}

// SymbolsNear names what the files near entities export, the nearest first (SPEC O10, P15).
func (s *Code) SymbolsNear(ctx context.Context, workspaceID string, entityIDs []string, limit int) ([]string, error) {
	repositories, err := s.c.Reader.CodeRepositories(ctx, workspaceID)
	if err != nil || len(repositories) == 0 {
		return nil, err
	}
	found, err := s.c.Entities.ByIDs(ctx, workspaceID, entityIDs)
	if err != nil {
		return nil, err
	}
	entities := make([]*knowledge.Entity, 0, len(found))
	for _, id := range entityIDs {
		if e := found[id]; e != nil {
			entities = append(entities, e)
		}
	}
	n, err := s.near(ctx, workspaceID, entities, CodeNeighborQuery{Hops: 1, First: knowledge.DefaultCodeNeighbors})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, node := range n.Nodes {
		for _, sym := range node.Symbols {
			if len(names) < limit && !slices.Contains(names, sym.Name) {
				names = append(names, sym.Name)
			}
		}
	}
	return names, nil
}

// near walks from the files of the symbols that entities are joined to.
func (s *Code) near(ctx context.Context, workspaceID string, entities []*knowledge.Entity, q CodeNeighborQuery) (*knowledge.CodeNeighborhood, error) {
	out := &knowledge.CodeNeighborhood{Nodes: []*knowledge.CodeNeighbor{}}
	bridges, cut, err := s.Bridges(ctx, workspaceID, entities)
	if err != nil {
		return nil, err
	}
	via := map[string]*knowledge.Bridge{} // by the id of a file that was reached
	var frontier []string
	for _, e := range entities {
		out.Truncated = out.Truncated || cut[e.ID]
		for _, b := range bridges[e.ID] {
			out.Bridges = append(out.Bridges, b)
			if sym, ok := b.Symbol.(*knowledge.CodeSymbol); ok && via[sym.FileID()] == nil {
				via[sym.FileID()] = b
				frontier = append(frontier, sym.FileID())
			}
		}
	}
	for hop := 1; hop <= q.Hops && len(frontier) > 0; hop++ {
		found, err := s.c.Walker.CodeBeside(ctx, workspaceID, frontier, q.First+len(via)+1)
		if err != nil {
			return nil, err
		}
		frontier = nil
		for _, l := range found {
			if via[l.File.ID()] != nil {
				continue
			}
			if len(out.Nodes) == q.First {
				out.Truncated = true
				return out, s.fillSymbols(ctx, workspaceID, out.Nodes)
			}
			via[l.File.ID()] = via[l.FromID]
			out.Nodes = append(out.Nodes, &knowledge.CodeNeighbor{File: l.File, Via: via[l.FromID], Hops: hop})
			frontier = append(frontier, l.File.ID())
		}
	}
	return out, s.fillSymbols(ctx, workspaceID, out.Nodes)
}

func (s *Code) fillSymbols(ctx context.Context, workspaceID string, nodes []*knowledge.CodeNeighbor) error {
	if len(nodes) == 0 {
		return nil
	}
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.File.ID()
	}
	symbols, err := s.c.Links.CodeSymbolsOf(ctx, workspaceID, ids, knowledge.MaxFileSymbols)
	if err != nil {
		return err
	}
	for i, n := range nodes {
		n.Symbols = knowledge.ExportedSymbols(symbols[ids[i]])
		slices.SortStableFunc(n.Symbols, func(a, b *knowledge.CodeSymbol) int { return cmp.Compare(a.Line, b.Line) })
	}
	return nil
}
