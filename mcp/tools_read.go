package mcp

import (
	"context"
	"slices"
	"time"

	"mneme/knowledge"
	"mneme/service"
)

// Reads of the entity graph (SPEC J10 to J12, O15).

const defaultSearchLimit = 10

type searchIn struct {
	Query      string   `json:"query" jsonschema:"words to look for in names, descriptions and observations; any of them counts, and so do beginnings of words"`
	EntityType string   `json:"entity_type,omitempty" jsonschema:"only entities of this type"`
	Limit      *integer `json:"limit,omitempty" jsonschema:"how many, 1 to 50; 10 without it"`
	Cursor     string   `json:"cursor,omitempty" jsonschema:"the cursor of the answer before, to go on"`
}

type foundEntity struct {
	entityCard
	Score float64 `json:"score" jsonschema:"how well it fits; comparable within one answer"`
}

type searchOut struct {
	Results   []foundEntity `json:"results"`
	Count     int           `json:"count" jsonschema:"how many are in this answer"`
	Total     int           `json:"total" jsonschema:"how many the call has in all"`
	Truncated bool          `json:"truncated" jsonschema:"whether more was found than the limit asked for"`
	Cursor    string        `json:"cursor,omitempty" jsonschema:"set where this answer could not hold them all: repeat the call with it"`
}

func search(ctx context.Context, c *call, in *searchIn) (*searchOut, error) {
	var types []string
	if in.EntityType != "" {
		types = []string{in.EntityType}
	}
	found, total, err := c.view.Search(ctx, in.Query, types, in.Limit.clamped(defaultSearchLimit, knowledge.MaxSearchResults))
	if err != nil {
		return nil, err
	}
	items := make([]foundEntity, len(found))
	for i, f := range found {
		items[i] = foundEntity{c.card(f.Entity, c.budget.short()), f.Score}
	}
	out := &searchOut{Total: len(items), Truncated: total > len(items)}
	if out.Results, out.Cursor, err = page(c, out, items, func(f foundEntity) string { return f.ID }); err != nil {
		return nil, err
	}
	out.Count = len(out.Results)
	return out, nil
}

// when are the arguments that say which moment is meant.
type when struct {
	AsOf           *moment `json:"as_of,omitempty" jsonschema:"what was true at this time; now without it"`
	KnownAt        *moment `json:"known_at,omitempty" jsonschema:"what this memory had been told by this time; now without it"`
	IncludeHistory bool    `json:"include_history,omitempty" jsonschema:"also what has ended, with its interval"`
}

func (w when) point() knowledge.TimePoint {
	return knowledge.TimePoint{AsOf: w.AsOf.given(), KnownAt: w.KnownAt.given(), IncludeHistory: w.IncludeHistory}
}

type neighborsIn struct {
	Entity    reference `json:"entity_id" jsonschema:"where to start: an entity's id, or its name where that is unambiguous"`
	Depth     *integer  `json:"depth,omitempty" jsonschema:"how many steps to go, 1 to 3; 1 without it"`
	EdgeTypes list      `json:"edge_types,omitempty" jsonschema:"only along edges of these types, at most 20"`
	when
	Cursor string `json:"cursor,omitempty" jsonschema:"the cursor of the answer before, to go on"`
}

type nearEntity struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type nearEdge struct {
	ID        string     `json:"id"`
	Type      string     `json:"type"`
	Direction string     `json:"direction" jsonschema:"outgoing where it leads to this neighbour, incoming where it leads from it"`
	ValidFrom *time.Time `json:"validFrom,omitempty"`
	ValidTo   *time.Time `json:"validTo,omitempty"`
}

type neighbor struct {
	Entity nearEntity `json:"entity"`
	Edge   nearEdge   `json:"edge" jsonschema:"the edge by which it was reached"`
	From   string     `json:"from,omitempty" jsonschema:"the entity at the edge's other end, where that is not the one asked about"`
	Depth  int        `json:"depth"`
}

type neighborsOut struct {
	Neighbors []neighbor `json:"neighbors"`
	Count     int        `json:"count" jsonschema:"how many are in this answer"`
	Total     int        `json:"total" jsonschema:"how many the call has in all, at most 200"`
	Truncated bool       `json:"truncated" jsonschema:"whether there are more than 200, or more edges than are read: ask by edge_types, or from another entity"`
	Cursor    string     `json:"cursor,omitempty" jsonschema:"set where this answer could not hold them all: repeat the call with it"`
}

func neighbors(ctx context.Context, c *call, in *neighborsIn) (*neighborsOut, error) {
	types, cutTypes := atMost(in.EdgeTypes, knowledge.MaxEdgeTypeFilter)
	found, err := c.view.Neighbors(ctx, in.Entity.EntityRef, service.NeighborQuery{
		Hops: in.Depth.clamped(1, knowledge.MaxHops), Direction: knowledge.Both, EdgeTypes: types, At: in.point(), First: knowledge.MaxNeighbors,
	})
	if err != nil {
		return nil, renamed(err, map[string]string{"edgeTypes": "edge_types", "root": "entity_id"})
	}
	items := make([]neighbor, len(found.Nodes))
	for i, n := range found.Nodes {
		items[i] = c.neighbor(n)
	}
	out := &neighborsOut{Total: len(items), Truncated: found.Truncated || cutTypes}
	if out.Neighbors, out.Cursor, err = page(c, out, items, func(n neighbor) string { return n.Entity.ID }); err != nil {
		return nil, err
	}
	out.Count = len(out.Neighbors)
	return out, nil
}

func (c *call) neighbor(n *knowledge.Neighbor) neighbor {
	e, last := n.Entity, n.Path[len(n.Path)-1]
	out := neighbor{
		Entity: nearEntity{e.ID, e.TypeKey, cut(e.Name, c.budget.short()), cut(given(e.Description), c.budget.short())}, Depth: n.Hops,
		Edge: nearEdge{ID: last.ID, Type: last.Type, Direction: string(knowledge.Outgoing), ValidFrom: last.ValidFrom, ValidTo: last.ValidTo},
	}
	near := last.FromID
	if last.FromID == e.ID {
		near, out.Edge.Direction = last.ToID, string(knowledge.Incoming)
	}
	if n.Hops > 1 {
		out.From = near
	}
	return out
}

// atMost are the first so many texts, and whether there were more.
func atMost(texts []string, most int) ([]string, bool) {
	if len(texts) <= most {
		return texts, false
	}
	return texts[:most], true
}

type subgraphIn struct {
	EntityIDs list `json:"entity_ids" jsonschema:"the entities, at most 100: ids, or names where they are unambiguous"`
	when
	Cursor string `json:"cursor,omitempty" jsonschema:"the cursor of the answer before, to go on"`
}

type subgraphOut struct {
	Entities      []entityCard `json:"entities"`
	Edges         []edgeCard   `json:"edges"`
	EntityCount   int          `json:"entityCount" jsonschema:"how many entities are in this answer"`
	EdgeCount     int          `json:"edgeCount" jsonschema:"how many edges are in this answer"`
	TotalEntities int          `json:"totalEntities" jsonschema:"how many entities the call has in all"`
	TotalEdges    int          `json:"totalEdges" jsonschema:"how many edges the call has in all, at most 1,000"`
	Missing       []string     `json:"missing,omitempty" jsonschema:"what was asked for and is not there, or came after the first 100"`
	Truncated     bool         `json:"truncated" jsonschema:"whether there were more than 100 entities or 1,000 edges"`
	Cursor        string       `json:"cursor,omitempty" jsonschema:"set where this answer could not hold everything: repeat the call with it"`
}

// mostMissing bounds how many of the missing are named.
const mostMissing = 20

// graphItem is an entity or an edge, in one list that is cut into pages.
type graphItem struct {
	entity *entityCard
	edge   *edgeCard
}

// MarshalJSON makes an item count as what it is.
func (g graphItem) MarshalJSON() ([]byte, error) {
	if g.entity != nil {
		return []byte(textOf(g.entity)), nil
	}
	return []byte(textOf(g.edge)), nil
}

func (g graphItem) id() string {
	if g.entity != nil {
		return g.entity.ID
	}
	return g.edge.ID
}

func subgraph(ctx context.Context, c *call, in *subgraphIn) (*subgraphOut, error) {
	given := distinct(in.EntityIDs)
	ids, more := atMost(given, knowledge.MaxSubgraphEntities)
	refs := make([]knowledge.EntityRef, 0, len(ids))
	out := &subgraphOut{Entities: []entityCard{}, Edges: []edgeCard{}}
	for _, id := range ids {
		ref := knowledge.RefOf(id)
		if _, err := ref.Checked(""); err != nil { // nothing can be called so
			out.miss(c, id)
			continue
		}
		refs = append(refs, ref)
	}
	found, err := c.view.Subgraph(ctx, service.SubgraphQuery{Refs: refs, At: in.point()})
	if err != nil {
		return nil, renamed(err, map[string]string{"refs": "entity_ids"})
	}
	for _, id := range found.Missing {
		out.miss(c, id)
	}
	for _, id := range given[len(ids):] {
		out.miss(c, id)
	}
	out.TotalEntities, out.TotalEdges, out.Truncated = len(found.Entities), len(found.Edges), found.Truncated || more
	items := make([]graphItem, 0, len(found.Entities)+len(found.Edges))
	for _, e := range found.Entities {
		card := c.card(e, c.budget.short())
		items = append(items, graphItem{entity: &card})
	}
	for _, e := range found.Edges {
		card := edgeCardOf(e)
		items = append(items, graphItem{edge: &card})
	}
	shown, cursor, err := page(c, out, items, graphItem.id)
	if err != nil {
		return nil, err
	}
	for _, item := range shown {
		if item.entity != nil {
			out.Entities = append(out.Entities, *item.entity)
		} else {
			out.Edges = append(out.Edges, *item.edge)
		}
	}
	out.EntityCount, out.EdgeCount, out.Cursor = len(out.Entities), len(out.Edges), cursor
	return out, nil
}

// distinct are the texts, each once.
func distinct(texts []string) []string {
	seen := make(map[string]bool, len(texts))
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		was := seen[text]
		seen[text] = true
		return was
	})
}

func (o *subgraphOut) miss(c *call, id string) {
	if len(o.Missing) < mostMissing {
		o.Missing = append(o.Missing, cut(id, c.budget.short()/4))
	} else {
		o.Truncated = true
	}
}

type pathIn struct {
	From    reference `json:"from" jsonschema:"where to start: an entity's id, or its name where that is unambiguous"`
	To      reference `json:"to" jsonschema:"where to end: an entity's id or name"`
	MaxHops *integer  `json:"max_hops,omitempty" jsonschema:"how many steps at most, 1 to 6; 6 without it"`
	when
}

type pathOut struct {
	Found    bool         `json:"found" jsonschema:"false where there is no way of so few steps"`
	Hops     int          `json:"hops"`
	Entities []entityCard `json:"entities" jsonschema:"from the start to the end"`
	Edges    []edgeCard   `json:"edges" jsonschema:"between them, each with its own direction"`
	Summary  string       `json:"summary,omitempty" jsonschema:"the way in words"`
}

func findPath(ctx context.Context, c *call, in *pathIn) (*pathOut, error) {
	found, err := c.view.Path(ctx, service.PathQuery{
		From: in.From.EntityRef, To: in.To.EntityRef, MaxHops: in.MaxHops.clamped(knowledge.MaxPathHops, knowledge.MaxPathHops),
		Direction: knowledge.Both, At: in.point(),
	})
	if err != nil {
		return nil, err
	}
	out := &pathOut{Entities: []entityCard{}, Edges: []edgeCard{}}
	if found == nil {
		return out, nil
	}
	out.Found, out.Hops, out.Summary = true, found.Hops(), cut(knowledge.PathSummary(found), c.budget.text())
	for _, e := range found.Entities {
		out.Entities = append(out.Entities, c.card(e, c.budget.short()))
	}
	for _, e := range found.Edges {
		out.Edges = append(out.Edges, edgeCardOf(e))
	}
	return out, nil
}
