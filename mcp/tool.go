package mcp

import (
	"context"
	"errors"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/knowledge"
	"mneme/service"
)

// tool is one row of the table of tools.
type tool struct {
	name   string
	writes bool
	input  *jsonschema.Schema
	listed *sdk.Tool
	run    func(ctx context.Context, c *call, args arguments) (any, error)
}

// hints are what a client is told of how a tool behaves.
type hints struct {
	writes     bool
	destroys   bool // something may be gone afterwards
	idempotent bool // the same call again changes nothing more
	open       bool // it may reach beyond this memory, to a language model
}

// call is one call on its way.
type call struct {
	view   *service.View
	tool   *tool
	budget budget
	about  string // which list a cursor belongs to
	now    string // the cursor that was given
}

// define makes a tool of a function from typed arguments to a typed answer. Arguments and
// answer have their schemas from their types.
func define[In, Out any](name, title, description string, h hints, run func(ctx context.Context, c *call, in *In) (*Out, error)) *tool {
	input, err := schemaOf[In]()
	if err == nil && input.Properties == nil {
		input.Properties = map[string]*jsonschema.Schema{}
	}
	var answer, output *jsonschema.Schema
	if err == nil {
		answer, err = schemaOf[Out]()
	}
	if err == nil {
		output, err = orFailure(answer)
	}
	if err != nil {
		panic("mcp: tool " + name + ": " + err.Error()) // a fault of the table, seen by every test
	}
	destroys, open := h.destroys, h.open
	return &tool{
		name: name, writes: h.writes, input: input,
		listed: &sdk.Tool{
			Name: name, Title: title, Description: description, InputSchema: input, OutputSchema: output,
			Annotations: &sdk.ToolAnnotations{Title: title, ReadOnlyHint: !h.writes, DestructiveHint: &destroys, IdempotentHint: h.idempotent, OpenWorldHint: &open},
		},
		run: func(ctx context.Context, c *call, args arguments) (any, error) {
			in := new(In)
			if err := args.into(in); err != nil {
				return nil, err
			}
			return run(ctx, c, in)
		},
	}
}

// allowed is FORBIDDEN where a profile does not let its caller use the tool (SPEC F9, J2).
func (t *tool) allowed(p knowledge.Profile) error {
	if t.writes {
		return p.MayWrite()
	}
	return p.MayRead()
}

// renamed puts the names of this door on the fields of an error.
func renamed(err error, names map[string]string) error {
	var known *knowledge.Error
	if !errors.As(err, &known) {
		return err
	}
	first, rest, below := strings.Cut(known.Field, ".")
	name, ok := names[first]
	if !ok {
		return err
	}
	out := *known
	if out.Field = name; below {
		out.Field += "." + rest
	}
	return &out
}
