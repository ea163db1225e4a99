package resolvers

import (
	"context"
	"encoding/json"
	"math"

	"github.com/99designs/gqlgen/complexity"
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mneme/knowledge"
)

// costLimit bounds what an operation may cost.
type costLimit struct {
	max int
	es  graphql.ExecutableSchema
}

var _ graphql.OperationContextMutator = (*costLimit)(nil)

// ExtensionName implements graphql.HandlerExtension.
func (*costLimit) ExtensionName() string { return "CostLimit" }

// Validate implements graphql.HandlerExtension.
func (l *costLimit) Validate(es graphql.ExecutableSchema) error {
	l.es = es
	return nil
}

// MutateOperationContext refuses an operation that costs too much.
func (l *costLimit) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	cost := complexity.Calculate(ctx, l.es, op.Operation, op.Variables)
	if cost > l.max {
		return gqlerror.Wrap(knowledge.Limit("query", "this operation costs %d; at most %d is allowed: ask for shorter lists or fewer fields", cost, l.max))
	}
	return nil
}

// Assumed lengths of lists whose length is not asked for.
const (
	assumedList     = 10
	assumedSubgraph = knowledge.MaxSubgraphEntities
)

// costed gives every field the cost of what it may return: 1 and its children as often
// as it is asked for. gqlgen ignores costs below 1 and adds with saturation; the
// multiplication here saturates too.
type costed struct{ graphql.ExecutableSchema }

// Complexity implements graphql.ExecutableSchema.
func (c costed) Complexity(_ context.Context, typeName, fieldName string, child int, args map[string]any) (int, bool) {
	if fieldName == "export" {
		return exportCost, true
	}
	return saturating(child, c.factor(typeName, fieldName, args)), true
}

// factor is how many things a field may return. Whoever asks for more than any list may
// have is told so by the list itself, which names the argument.
func (c costed) factor(typeName, fieldName string, args map[string]any) int {
	for _, name := range []string{"first", "last", "top", "ids"} {
		if n := size(args[name]); n > 0 {
			return min(n, knowledge.MaxNeighbors)
		}
	}
	if input, ok := args["input"].(map[string]any); ok {
		if n := size(input["limit"]); n > 0 {
			return min(n, knowledge.MaxNeighbors)
		}
	}
	if fieldName == "subgraph" {
		return assumedSubgraph
	}
	def := c.Schema().Types[typeName]
	if def == nil {
		return 1
	}
	field := def.Fields.ForName(fieldName)
	if field != nil && field.Type.Elem != nil && len(def.Interfaces) > 0 {
		return assumedList
	}
	return 1
}

// size is the number that an argument asks for: itself, or the length of a list.
func size(v any) int {
	switch v := v.(type) {
	case int:
		return v
	case int64:
		return int(min(v, math.MaxInt32))
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			return math.MaxInt32
		}
		return int(min(n, math.MaxInt32))
	case []any:
		return len(v)
	default:
		return 0
	}
}

// saturating is 1 + child*factor, or the largest number where that is too large.
func saturating(child, factor int) int {
	if child > 0 && factor > (math.MaxInt-1)/child {
		return math.MaxInt
	}
	return 1 + child*factor
}
