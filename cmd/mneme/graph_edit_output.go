package main

import (
	"errors"
	"fmt"
	"strings"

	"mneme/knowledge"
	"mneme/service"
)

// nodeEditOutput is an edit of an entity as JSON.
type nodeEditOutput struct {
	Applied         bool           `json:"applied"`
	Created         bool           `json:"created"`
	KeptDescription bool           `json:"keptDescription"`
	Entity          entityOutput   `json:"entity"`
	Changes         []changeOutput `json:"changes"`
}

// entityOutput is an entity as JSON; without an id where it is not there yet.
type entityOutput struct {
	ID          string   `json:"id,omitempty"`
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Description *string  `json:"description"`
	Aliases     []string `json:"aliases"`
	Confidence  float64  `json:"confidence"`
	Source      string   `json:"source"`
}

func newEntityOutput(e *knowledge.Entity) entityOutput {
	return entityOutput{
		ID: e.ID, Name: e.Name, Type: e.TypeKey, Description: e.Description, Aliases: append([]string{}, e.Aliases...), Confidence: e.Confidence,
		Source: strings.ToUpper(string(e.Source)),
	}
}

// changeOutput is one field of an entity that changes.
type changeOutput struct {
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// nodeChanges are the fields of an entity that an edit changes.
func nodeChanges(before, after *knowledge.Entity) []changeOutput {
	out := []changeOutput{}
	if before == nil {
		return out
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	for _, c := range []changeOutput{
		{"name", before.Name, after.Name},
		{"type", before.TypeKey, after.TypeKey},
		{"description", text(before.Description), text(after.Description)},
		{"aliases", strings.Join(before.Aliases, ", "), strings.Join(after.Aliases, ", ")},
		{"source", string(before.Source), string(after.Source)},
		{"confidence", fmt.Sprintf("%.2f", before.Confidence), fmt.Sprintf("%.2f", after.Confidence)},
	} {
		if c.From != c.To {
			out = append(out, c)
		}
	}
	return out
}

// node says what became of an entity, or would.
func (e *graphEditing) node(edit *service.NodeEdit) error {
	out := nodeEditOutput{
		Applied: e.apply, Created: edit.Before == nil, KeptDescription: edit.KeptDescription, Entity: newEntityOutput(edit.After), Changes: nodeChanges(edit.Before, edit.After),
	}
	if e.asJSON {
		return e.printJSON(out)
	}
	switch {
	case out.Created:
		e.stdout.printf("%s %s\n", e.does("create"), e.label(edit.After))
	case len(out.Changes) == 0:
		e.stdout.printf("%s is there already; nothing changes.\n", e.label(edit.Before))
		return nil
	default:
		e.stdout.printf("%s %s\n", e.does("change"), e.label(edit.Before))
		for _, c := range out.Changes {
			e.stdout.printf("  %s: %q to %q\n", c.Field, c.From, c.To)
		}
	}
	if out.KeptDescription {
		e.stdout.printf("  the description of a stronger writer is kept\n")
	}
	return e.done()
}

// edgeEditOutput is an edit of edges as JSON.
type edgeEditOutput struct {
	Applied    bool              `json:"applied"`
	Created    bool              `json:"created"`
	Edge       graphEdgeOutput   `json:"edge"`
	Superseded []graphEdgeOutput `json:"superseded"`
	New        []entityOutput    `json:"newEntities"`
}

// edge says what became of an edge, or would.
func (e *graphEditing) edge(edit *service.EdgeEdit) error {
	out := edgeEditOutput{Applied: e.apply, Created: edit.Created, Edge: newGraphEdge(edit.Edge), Superseded: []graphEdgeOutput{}, New: []entityOutput{}}
	for _, s := range edit.Superseded {
		out.Superseded = append(out.Superseded, newGraphEdge(s))
	}
	for _, n := range edit.New {
		out.New = append(out.New, newEntityOutput(n))
	}
	if e.asJSON {
		return e.printJSON(out)
	}
	for _, n := range edit.New {
		e.stdout.printf("%s %s\n", e.does("create"), e.label(n))
	}
	drawn := fmt.Sprintf("%s -[%s]-> %s", e.bold(edit.From.Name), e.verb(edit.Edge.Type), e.bold(edit.To.Name))
	if !edit.Created {
		noted := "is noted"
		if !e.apply {
			noted = "would be noted"
		}
		e.stdout.printf("%s holds already; what it rests on %s.\n", drawn, noted)
		return e.done()
	}
	e.stdout.printf("%s %s%s\n", e.does("create"), drawn, e.dim(idOf(edit.Edge)))
	e.printFacts(edit.Superseded)
	return e.done()
}

func idOf(edge *knowledge.Edge) string {
	if edge.ID == "" {
		return ""
	}
	return "  " + edge.ID
}

// printFacts names edges that end.
func (e *graphEditing) printFacts(edges []*knowledge.Edge) {
	for _, edge := range edges {
		e.stdout.printf("%s %s%s\n", e.does("end"), edge.Fact, e.dim(idOf(edge)))
	}
}

// removedOutput is a removal of edges as JSON.
type removedOutput struct {
	Applied bool              `json:"applied"`
	Action  string            `json:"action"`
	Edges   []graphEdgeOutput `json:"edges"`
}

// removed says which edges were ended or forgotten, or would be.
func (e *graphEditing) removed(action string, edges []*knowledge.Edge) error {
	out := removedOutput{Applied: e.apply, Action: action, Edges: []graphEdgeOutput{}}
	for _, edge := range edges {
		out.Edges = append(out.Edges, newGraphEdge(edge))
	}
	if e.asJSON {
		return e.printJSON(out)
	}
	for _, edge := range edges {
		e.stdout.printf("%s %s%s\n", e.does(action), edge.Fact, e.dim(idOf(edge)))
	}
	return e.done()
}

// asOurs is an error as ours, nil where it is none.
func asOurs(err error) *knowledge.Error {
	var e *knowledge.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
