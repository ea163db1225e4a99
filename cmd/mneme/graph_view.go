package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"mneme/knowledge"
	"mneme/service"
)

// shownEdges is how many edges of an entity are shown; the rest is counted.
const shownEdges = knowledge.MaxPage

// graphView shows parts of a graph.
type graphView struct {
	*program
	app       *App
	ws        *knowledge.Workspace
	at        knowledge.TimePoint
	direction knowledge.Direction
	asJSON    bool
}

// summaryOutput is a summary as JSON.
type summaryOutput struct {
	Workspace      string           `json:"workspace"`
	Entities       int              `json:"entities"`
	CurrentEdges   int              `json:"currentEdges"`
	Edges          int              `json:"edges"`
	Observations   int              `json:"observations"`
	Entries        int              `json:"entries"`
	Relations      int              `json:"relations"`
	EntitiesByType []countOutput    `json:"entitiesByType"`
	EdgesByType    []countOutput    `json:"edgesByType"`
	MostConnected  []connectedShown `json:"mostConnected"`
}

type countOutput struct {
	Key   string `json:"key"`
	Count int    `json:"count"`
}

type connectedShown struct {
	nodeOutput
	Degree int `json:"degree"`
}

// nodeOutput is an entity as JSON where it is one of many.
type nodeOutput struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
}

func newNodeOutput(e *knowledge.Entity) nodeOutput {
	return nodeOutput{ID: e.ID, Name: e.Name, Type: e.TypeKey}
}

func (v *graphView) summary(ctx context.Context) error {
	sum, err := v.app.Workspaces.Summary(ctx, v.ws, graphTop, v.at)
	if err != nil {
		return err
	}
	out := summaryOutput{
		Workspace: v.ws.Key, Entities: sum.Entities, CurrentEdges: sum.CurrentEdges, Edges: sum.Edges, Observations: sum.Observations,
		Entries: sum.Entries, Relations: sum.Relations, EntitiesByType: countsOf(sum.EntitiesByType), EdgesByType: countsOf(sum.EdgesByType), MostConnected: []connectedShown{},
	}
	for _, c := range sum.MostConnected {
		out.MostConnected = append(out.MostConnected, connectedShown{newNodeOutput(c.Entity), c.Degree})
	}
	if v.asJSON {
		return v.printJSON(out)
	}
	v.stdout.printf("%s: %s, %s (%d in all), %s, %s, %s\n", v.bold(out.Workspace),
		counted(out.Entities, "entity", "entities"), counted(out.CurrentEdges, "edge", "edges"), out.Edges,
		counted(out.Observations, "observation", "observations"), counted(out.Entries, "entry", "entries"), counted(out.Relations, "relation", "relations"))
	v.counts("entities", out.EntitiesByType)
	v.counts("edges", out.EdgesByType)
	if len(out.MostConnected) == 0 {
		return nil
	}
	v.stdout.printf("\nmost connected\n")
	var rows []table.Row
	for _, c := range out.MostConnected[:min(graphTopPrinted, len(out.MostConnected))] {
		rows = append(rows, table.Row{c.Name, c.Type, c.Degree})
	}
	v.list(table.Row{"name", "type", "edges"}, rows)
	return nil
}

func countsOf(counts []knowledge.Count) []countOutput {
	out := make([]countOutput, 0, len(counts))
	for _, c := range counts {
		out = append(out, countOutput(c))
	}
	return out
}

func (v *graphView) counts(of string, counts []countOutput) {
	parts := make([]string, 0, len(counts))
	for _, c := range counts {
		parts = append(parts, fmt.Sprintf("%s %d", c.Key, c.Count))
	}
	if len(parts) > 0 {
		v.stdout.printf("%s: %s\n", of, strings.Join(parts, ", "))
	}
}

// entityShown is an entity with its edges as JSON.
type entityShown struct {
	nodeOutput
	Slug        string            `json:"slug"`
	Aliases     []string          `json:"aliases"`
	Description *string           `json:"description"`
	Properties  map[string]any    `json:"properties"`
	Confidence  float64           `json:"confidence"`
	Source      string            `json:"source"`
	Outgoing    []graphEdgeOutput `json:"outgoing"`
	Incoming    []graphEdgeOutput `json:"incoming"`
	Total       int               `json:"totalEdges"`
	Truncated   bool              `json:"truncated"`
}

// graphEdgeOutput is an edge as JSON, seen from one of its ends or on a path.
type graphEdgeOutput struct {
	ID        string      `json:"id"`
	Type      string      `json:"type"`
	Entity    *nodeOutput `json:"entity,omitempty"` // at the other end
	From      string      `json:"from"`
	To        string      `json:"to"`
	Fact      string      `json:"fact"`
	ValidFrom *time.Time  `json:"validFrom"`
	ValidTo   *time.Time  `json:"validTo"`
}

func newGraphEdge(e *knowledge.Edge) graphEdgeOutput {
	return graphEdgeOutput{ID: e.ID, Type: e.Type, From: e.FromID, To: e.ToID, Fact: e.Fact, ValidFrom: e.ValidFrom, ValidTo: e.ValidTo}
}

// entity shows an entity with its edges (SPEC O22); an unknown one is no error (SPEC O21).
func (v *graphView) entity(ctx context.Context, name string) error {
	e, err := v.app.GraphEdits.Find(ctx, v.ws.ID, name)
	if knowledge.IsNotFound(err) {
		return v.nothing("There is no entity %q.", name)
	}
	if err != nil {
		return knowledge.InField("--entity", err)
	}
	out, err := v.entityShown(ctx, e)
	if err != nil {
		return err
	}
	if v.asJSON {
		return v.printJSON(out)
	}
	v.printEntity(e, out)
	return nil
}

func (v *graphView) entityShown(ctx context.Context, e *knowledge.Entity) (entityShown, error) {
	out := entityShown{
		nodeOutput: newNodeOutput(e), Slug: e.Slug, Aliases: e.Aliases, Description: e.Description, Properties: e.Properties, Confidence: e.Confidence,
		Source: strings.ToUpper(string(e.Source)), Outgoing: []graphEdgeOutput{}, Incoming: []graphEdgeOutput{},
	}
	q := service.EdgeQuery{Direction: v.direction, At: v.at}
	pages, err := v.app.Edges.OfEntities(ctx, v.ws.ID, []string{e.ID}, q, knowledge.PageRequest{First: shownEdges})
	if err != nil {
		return out, err
	}
	counts, err := v.app.Edges.CountOfEntities(ctx, v.ws.ID, []string{e.ID}, q)
	if err != nil {
		return out, err
	}
	edges := pages[e.ID].Items
	var ids []string
	for _, edge := range edges {
		ids = append(ids, edge.FromID, edge.ToID)
	}
	others, err := v.app.Entities.ByIDs(ctx, v.ws.ID, ids)
	if err != nil {
		return out, err
	}
	for _, edge := range edges {
		shown, far, list := newGraphEdge(edge), edge.ToID, &out.Outgoing
		if edge.FromID != e.ID {
			far, list = edge.FromID, &out.Incoming
		}
		if other := others[far]; other != nil {
			node := newNodeOutput(other)
			shown.Entity = &node
			*list = append(*list, shown)
		}
	}
	out.Total, out.Truncated = counts[e.ID], counts[e.ID] > len(edges)
	return out, nil
}

func (v *graphView) printEntity(e *knowledge.Entity, out entityShown) {
	v.stdout.printf("%s  %s  %s\n", v.bold(out.Name), v.dim(out.Type), v.dim(out.ID))
	if len(out.Aliases) > 0 {
		v.stdout.printf("also called %s\n", strings.Join(out.Aliases, ", "))
	}
	if e.Description != nil && *e.Description != "" {
		v.stdout.printf("%s\n", *e.Description)
	}
	if len(out.Outgoing)+len(out.Incoming) == 0 {
		v.stdout.printf("\nIt has no edges.\n")
		return
	}
	v.printEdges("outgoing", "->", out.Outgoing)
	v.printEdges("incoming", "<-", out.Incoming)
	if out.Truncated {
		v.stdout.printf("\nThese are %d of its %d edges; --json and GraphQL page through all.\n", len(out.Outgoing)+len(out.Incoming), out.Total)
	}
}

func (v *graphView) printEdges(title, arrow string, edges []graphEdgeOutput) {
	if len(edges) == 0 {
		return
	}
	v.stdout.printf("\n%s\n", title)
	for _, e := range edges {
		v.stdout.printf("  %s %s  %s  %s%s\n", arrow, v.verb(e.Type), e.Entity.Name, v.dim(e.Entity.Type), v.dim(interval(e.ValidFrom, e.ValidTo, v.at)))
	}
}

// interval says when an edge held, where that is not simply "now".
func interval(from, to *time.Time, at knowledge.TimePoint) string {
	if to == nil && !at.IncludeHistory {
		return ""
	}
	text := "  since " + day(from)
	if from == nil {
		text = "  always"
	}
	if to != nil {
		text = "  " + day(from) + " to " + day(to)
	}
	return text
}

// day is a moment as people write it: without a time where it is midnight.
func day(t *time.Time) string {
	switch {
	case t == nil:
		return "ever"
	case t.Equal(t.Truncate(24 * time.Hour)):
		return t.UTC().Format(time.DateOnly)
	default:
		return t.UTC().Format("2006-01-02 15:04")
	}
}

// pathOutput is a path as JSON.
type pathOutput struct {
	Hops     int               `json:"hops"`
	Entities []nodeOutput      `json:"entities"`
	Edges    []graphEdgeOutput `json:"edges"`
}

// path shows the shortest path (SPEC O15); none, and unknown ends, are no errors (SPEC O21).
func (v *graphView) path(ctx context.Context, from, to string) error {
	var ends [2]*knowledge.Entity
	for i, name := range []string{from, to} {
		var err error
		ends[i], err = v.app.GraphEdits.Find(ctx, v.ws.ID, name)
		if knowledge.IsNotFound(err) {
			return v.nothing("There is no entity %q.", name)
		}
		if err != nil {
			return knowledge.InField("--path", err)
		}
	}
	path, err := v.app.Navigation.ShortestPath(ctx, v.ws.ID, service.PathQuery{
		From: knowledge.EntityRef{ID: ends[0].ID}, To: knowledge.EntityRef{ID: ends[1].ID}, MaxHops: knowledge.MaxPathHops, Direction: v.direction, At: v.at,
	})
	if knowledge.IsNotFound(err) {
		return v.nothing("There is no path of at most %d hops from %q to %q.", knowledge.MaxPathHops, ends[0].Name, ends[1].Name)
	}
	if err != nil {
		return err
	}
	out := pathOutput{Hops: path.Hops(), Entities: []nodeOutput{}, Edges: []graphEdgeOutput{}}
	for _, e := range path.Entities {
		out.Entities = append(out.Entities, newNodeOutput(e))
	}
	for _, e := range path.Edges {
		out.Edges = append(out.Edges, newGraphEdge(e))
	}
	if v.asJSON {
		return v.printJSON(out)
	}
	v.stdout.printf("%s\n", v.bold(out.Entities[0].Name))
	for i, e := range out.Edges {
		line := "-[" + v.verb(e.Type) + "]->"
		if e.From != out.Entities[i].ID {
			line = "<-[" + v.verb(e.Type) + "]-"
		}
		v.stdout.printf("  %s %s%s\n", line, v.bold(out.Entities[i+1].Name), v.dim(interval(e.ValidFrom, e.ValidTo, v.at)))
	}
	v.stdout.printf("%s\n", counted(out.Hops, "hop", "hops"))
	return nil
}

// nothing says that there is nothing to show, which is no error: null as JSON.
func (v *graphView) nothing(format string, args ...any) error {
	if v.asJSON {
		v.stderr.printf(format+"\n", args...)
		return v.printJSON(nil)
	}
	v.stdout.printf(format+"\n", args...)
	return nil
}
