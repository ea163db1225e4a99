package resolvers

import (
	"context"
	"math"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"mneme/knowledge"
)

// shapeLimits bounds what a document may ask for, before anything is run (SPEC U).
type shapeLimits struct{ depth, fields, aliases int }

var _ graphql.OperationContextMutator = shapeLimits{}

// ExtensionName implements graphql.HandlerExtension.
func (shapeLimits) ExtensionName() string { return "ShapeLimits" }

// Validate implements graphql.HandlerExtension.
func (shapeLimits) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext refuses an operation that is too deep, too wide or has too many aliases.
func (l shapeLimits) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	w := &shapeWalk{limits: l}
	if err := w.walk(op.Operation.SelectionSet, 1); err != nil {
		return gqlerror.Wrap(err)
	}
	return nil
}

// shapeWalk counts fields after fragments are spread. It stops at the first limit, so
// that its own work is bounded by the limits.
type shapeWalk struct {
	limits          shapeLimits
	fields, aliases int
}

func (w *shapeWalk) walk(set ast.SelectionSet, depth int) error {
	for _, selection := range set {
		var err error
		switch s := selection.(type) {
		case *ast.Field:
			err = w.field(s, depth)
		case *ast.InlineFragment:
			err = w.walk(s.SelectionSet, depth)
		case *ast.FragmentSpread:
			err = w.walk(s.Definition.SelectionSet, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *shapeWalk) field(f *ast.Field, depth int) error {
	w.fields++
	if f.Alias != f.Name {
		w.aliases++
	}
	switch {
	case w.fields > w.limits.fields:
		return knowledge.Limit("query", "an operation may have at most %d fields", w.limits.fields)
	case w.aliases > w.limits.aliases:
		return knowledge.Limit("query", "an operation may have at most %d aliases", w.limits.aliases)
	case depth > w.limits.depth:
		return knowledge.Limit("query", "an operation may nest at most %d deep", w.limits.depth)
	}
	if f.Name == "__schema" || f.Name == "__type" {
		depth = math.MinInt32 // introspection has a rule of its own, and tools need more
	}
	return w.walk(f.SelectionSet, depth+1)
}

// guardedExecutor refuses documents with too many fields before they are validated: the
// rule about overlapping fields compares all pairs of fields of one name, seconds of
// work for what a request can hold. Documents that passed are remembered.
type guardedExecutor struct {
	graphql.GraphExecutor

	fields int
	passed graphql.Cache[struct{}]
}

// CreateOperationContext implements graphql.GraphExecutor.
func (g guardedExecutor) CreateOperationContext(ctx context.Context, params *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	if _, ok := g.passed.Get(ctx, params.Query); !ok {
		doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: params.Query}, maxQueryTokens)
		if err == nil && fieldsOf(doc) > g.fields {
			return &graphql.OperationContext{}, gqlerror.List{gqlerror.Wrap(
				knowledge.Limit("query", "a document may have at most %d fields", g.fields))}
		}
		g.passed.Add(ctx, params.Query, struct{}{})
	}
	return g.GraphExecutor.CreateOperationContext(ctx, params)
}

// fieldsOf counts the fields of all operations and fragments of a document, as they are written.
func fieldsOf(doc *ast.QueryDocument) int {
	n := 0
	var count func(set ast.SelectionSet)
	count = func(set ast.SelectionSet) {
		for _, selection := range set {
			n++
			switch s := selection.(type) {
			case *ast.Field:
				count(s.SelectionSet)
			case *ast.InlineFragment:
				count(s.SelectionSet)
			}
		}
	}
	for _, operation := range doc.Operations {
		count(operation.SelectionSet)
	}
	for _, fragment := range doc.Fragments {
		count(fragment.SelectionSet)
	}
	return n
}

// introspection lets clients read the schema, or not.
type introspection struct{ allowed bool }

var _ graphql.OperationContextMutator = introspection{}

// ExtensionName implements graphql.HandlerExtension.
func (introspection) ExtensionName() string { return "Introspection" }

// Validate implements graphql.HandlerExtension.
func (introspection) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext switches introspection on or off.
func (i introspection) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	op.DisableIntrospection = !i.allowed
	return nil
}
