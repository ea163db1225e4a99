package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"mneme/knowledge"
)

// What is known of one entity: the tool get_entity, and the resource.

type entityIn struct {
	Entity reference `json:"entity_id" jsonschema:"the entity's id, or its name where that is unambiguous"`
	when
	Cursor string `json:"cursor,omitempty" jsonschema:"the cursor of the answer before, to go on"`
}

type wholeEntity struct {
	entityCard
	Aliases             []string       `json:"aliases,omitempty"`
	Identities          []identityCard `json:"identities,omitempty" jsonschema:"mail addresses, domains and the like that are its own"`
	Properties          map[string]any `json:"properties,omitempty"`
	PropertiesTruncated bool           `json:"propertiesTruncated,omitempty" jsonschema:"whether properties were left out for their size"`
	Source              string         `json:"source" jsonschema:"the strongest who wrote of it: auto, agent or manual"`
	CreatedAt           time.Time      `json:"createdAt"`
	UpdatedAt           time.Time      `json:"updatedAt"`
	LastSeenAt          time.Time      `json:"lastSeenAt"`
}

type identityCard struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type remark struct {
	ID         string    `json:"id"`
	Content    string    `json:"content"`
	ObservedAt time.Time `json:"observedAt"`
}

type statedEdge struct {
	edgeCard
	Fact string `json:"fact" jsonschema:"the edge as a sentence"`
}

type entityOut struct {
	Entity            wholeEntity  `json:"entity"`
	Observations      []remark     `json:"observations" jsonschema:"what was seen or said of it, newest first"`
	Edges             []statedEdge `json:"edges" jsonschema:"its connections, surest first"`
	ObservationCount  int          `json:"observationCount" jsonschema:"how many observations are in this answer"`
	EdgeCount         int          `json:"edgeCount" jsonschema:"how many edges are in this answer"`
	TotalObservations int          `json:"totalObservations"`
	TotalEdges        int          `json:"totalEdges"`
	Cursor            string       `json:"cursor,omitempty" jsonschema:"set where this answer could not hold everything: repeat the call with it"`
}

// entityPosition is where both lists of an answer go on.
type entityPosition struct {
	Observation *knowledge.Cursor `json:"o,omitempty"`
	Edge        *knowledge.Cursor `json:"e,omitempty"`
	Observed    bool              `json:"od,omitempty"` // that list is done
	Connected   bool              `json:"ed,omitempty"`
}

func entity(ctx context.Context, c *call, in *entityIn) (*entityOut, error) {
	e, err := c.view.Entity(ctx, "entity_id", in.Entity.EntityRef)
	if err != nil {
		return nil, err
	}
	at, err := c.entityPosition()
	if err != nil {
		return nil, err
	}
	out := &entityOut{Entity: c.whole(e), Observations: []remark{}, Edges: []statedEdge{}}
	remarks, total, err := c.view.Observations(ctx, e.ID, knowledge.PageRequest{First: knowledge.MaxPage, After: at.Observation})
	if err != nil {
		return nil, renamed(err, map[string]string{"after": cursorArgument})
	}
	edges, totalEdges, err := c.view.Edges(ctx, e.ID, in.point(), knowledge.PageRequest{First: knowledge.MaxPage, After: at.Edge})
	if err != nil {
		return nil, renamed(err, map[string]string{"after": cursorArgument})
	}
	out.TotalObservations, out.TotalEdges = total, totalEdges
	c.fill(out, at, remarks, edges)
	out.ObservationCount, out.EdgeCount = len(out.Observations), len(out.Edges)
	return out, nil
}

// fill puts as much of both lists into the answer as fits: half of the room each, or all
// of it where the other needs less.
func (c *call) fill(out *entityOut, at entityPosition, remarks *knowledge.Page[*knowledge.Observation], edges *knowledge.Page[*knowledge.Edge]) {
	var notes []remark
	if !at.Observed {
		for _, o := range remarks.Items {
			notes = append(notes, remark{o.ID, cut(o.Text, c.budget.text()), o.ObservedAt})
		}
	}
	var facts []statedEdge
	if !at.Connected {
		for _, e := range edges.Items {
			facts = append(facts, statedEdge{edgeCardOf(e), cut(e.Fact, c.budget.short())})
		}
	}
	room := c.budget.max - cost(out) - cursorRoom
	first := fits(facts, room/2)
	n := fits(notes, room-cost(facts[:first]))
	first = fits(facts, room-cost(notes[:n]))
	out.Observations, out.Edges = append(out.Observations, notes[:n]...), append(out.Edges, facts[:first]...)

	next := at
	next.Observed = at.Observed || n == len(notes) && !remarks.HasNextPage
	next.Connected = at.Connected || first == len(facts) && !edges.HasNextPage
	if n > 0 {
		next.Observation = &remarks.Cursors[n-1]
	}
	if first > 0 {
		next.Edge = &edges.Cursors[first-1]
	}
	if !next.Observed || !next.Connected {
		out.Cursor = c.cursorAt(textOf(next))
	}
}

func (c *call) entityPosition() (entityPosition, error) {
	var at entityPosition
	after, err := c.after()
	if err != nil || after == "" {
		return at, err
	}
	if json.Unmarshal([]byte(after), &at) != nil {
		return at, knowledge.Invalid(cursorArgument, "is not a cursor of this call")
	}
	return at, nil
}

// mostNames bounds the aliases and identities that an answer names.
const mostNames = 20

// whole is an entity with what is known of it, as much as takes a quarter of the budget.
func (c *call) whole(e *knowledge.Entity) wholeEntity {
	out := wholeEntity{
		entityCard: c.card(e, c.budget.text()), Source: string(e.Source), CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, LastSeenAt: e.LastSeenAt,
	}
	for _, alias := range e.Aliases[:min(len(e.Aliases), mostNames)] {
		out.Aliases = append(out.Aliases, cut(alias, c.budget.short()/4))
	}
	for _, i := range e.Identities[:min(len(e.Identities), mostNames)] {
		out.Identities = append(out.Identities, identityCard{i.Kind, cut(i.Value, c.budget.short()/4)})
	}
	room := c.budget.max / 4
	for _, name := range slices.Sorted(maps.Keys(e.Properties)) {
		if room -= cost(map[string]any{name: e.Properties[name]}); room < 0 {
			out.PropertiesTruncated = true
			break
		}
		if out.Properties == nil {
			out.Properties = map[string]any{}
		}
		out.Properties[name] = e.Properties[name]
	}
	return out
}
