package resolvers

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mneme/graph/scalar"
	"mneme/knowledge"
)

// inputRules checks every argument of an operation before anything is run, whether it
// stands in the document or comes by variable. The parser compares enums without regard
// to case and checks @oneOf in documents only; gqlgen then turns an unknown enum into
// the zero value. Here unknown values never get past.
type inputRules struct{ schema *ast.Schema }

var _ graphql.OperationContextMutator = (*inputRules)(nil)

// ExtensionName implements graphql.HandlerExtension.
func (*inputRules) ExtensionName() string { return "InputRules" }

// Validate implements graphql.HandlerExtension.
func (r *inputRules) Validate(es graphql.ExecutableSchema) error {
	r.schema = es.Schema()
	return nil
}

// MutateOperationContext refuses an operation with a wrong argument and names it as the caller wrote it.
func (r *inputRules) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	return r.selections(op.Operation.SelectionSet, op.Variables, map[string]bool{})
}

func (r *inputRules) selections(set ast.SelectionSet, vars map[string]any, seen map[string]bool) *gqlerror.Error {
	for _, selection := range set {
		var err *gqlerror.Error
		switch s := selection.(type) {
		case *ast.Field:
			if err = r.arguments(s, vars); err == nil {
				err = r.selections(s.SelectionSet, vars, seen)
			}
		case *ast.InlineFragment:
			err = r.selections(s.SelectionSet, vars, seen)
		case *ast.FragmentSpread:
			if !seen[s.Name] {
				seen[s.Name] = true
				err = r.selections(s.Definition.SelectionSet, vars, seen)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// arguments checks the arguments that a field is given; a default is right by itself.
func (r *inputRules) arguments(f *ast.Field, vars map[string]any) *gqlerror.Error {
	for _, def := range f.Definition.Arguments {
		arg := f.Arguments.ForName(def.Name)
		if arg == nil {
			continue
		}
		if arg.Value.Kind == ast.Variable {
			if _, given := vars[arg.Value.Raw]; !given {
				continue
			}
		}
		value, err := arg.Value.Value(vars)
		if err != nil {
			err = knowledge.Invalid(def.Name, "is not a valid %s", def.Type)
		} else {
			err = r.value(def.Type, value, argumentPath(def.Name))
		}
		if err != nil {
			e := gqlerror.Wrap(err)
			e.Locations = []gqlerror.Location{{Line: f.Position.Line, Column: f.Position.Column}}
			return e
		}
	}
	return nil
}

// fieldPath is the place of a value among the arguments. The argument named input is
// left out: callers think of its fields as arguments.
type fieldPath []string

func argumentPath(name string) fieldPath {
	if name == "input" {
		return nil
	}
	return fieldPath{name}
}

func (p fieldPath) below(name string) fieldPath { return append(p[:len(p):len(p)], name) }

func (p fieldPath) String() string {
	if len(p) == 0 {
		return "input"
	}
	return strings.Join(p, ".")
}

// value checks one value against its type.
func (r *inputRules) value(t *ast.Type, v any, at fieldPath) error {
	if v == nil {
		if t.NonNull {
			return knowledge.Invalid(at.String(), "must not be null")
		}
		return nil
	}
	if t.Elem != nil {
		list, ok := v.([]any)
		if !ok {
			return r.value(t.Elem, v, at)
		}
		for i, item := range list {
			if err := r.value(t.Elem, item, at.below(strconv.Itoa(i))); err != nil {
				return err
			}
		}
		return nil
	}
	def := r.schema.Types[t.NamedType]
	switch def.Kind {
	case ast.Enum:
		if name, ok := v.(string); !ok || def.EnumValues.ForName(name) == nil {
			return knowledge.Invalid(at.String(), "is not a %s", def.Name)
		}
		return nil
	case ast.InputObject:
		return r.object(def, v, at)
	default:
		return inField(at, scalarValue(def.Name, v))
	}
}

func (r *inputRules) object(def *ast.Definition, v any, at fieldPath) error {
	object, ok := v.(map[string]any)
	if !ok {
		return knowledge.Invalid(at.String(), "must be a %s", def.Name)
	}
	if def.Directives.ForName("oneOf") != nil {
		if err := exactlyOne(object, at); err != nil {
			return err
		}
	}
	switch def.Name {
	case "EntityRef":
		if err := entityRef(object, at); err != nil {
			return err
		}
	case "EntryRef":
		if given := present(object, "id", "sourceId"); given != 1 {
			return knowledge.Invalid(at.String(), "must have exactly one of id and sourceId")
		}
	}
	for name, child := range object {
		field := def.Fields.ForName(name)
		if field == nil {
			return knowledge.Invalid(at.below(name).String(), "is not a field of %s", def.Name)
		}
		if text, ok := child.(string); ok && def.Name == "FileInput" && name == "data" {
			if err := inField(at.below(name), textValue(text, fileRoom)); err != nil {
				return err // a file in base64 is longer than a text may be
			}
			continue
		}
		if err := r.value(field.Type, child, at.below(name)); err != nil {
			return err
		}
	}
	return nil
}

// exactlyOne is the rule of @oneOf: one field, and it is neither null nor false.
func exactlyOne(object map[string]any, at fieldPath) error {
	if len(object) == 1 {
		for _, v := range object {
			if v != nil && v != false {
				return nil
			}
		}
	}
	return knowledge.Invalid(at.String(), "must have exactly one field, which is neither null nor false")
}

// entityRef is the rule of EntityRef: exactly one of id, name and identity; type only with name.
func entityRef(object map[string]any, at fieldPath) error {
	if present(object, "id", "name", "identity") != 1 {
		return knowledge.Invalid(at.String(), "must have exactly one of id, name and identity")
	}
	if object["type"] != nil && object["name"] == nil {
		return knowledge.Invalid(at.below("type").String(), "goes only with name")
	}
	return nil
}

// present is how many of the names have a value.
func present(object map[string]any, names ...string) int {
	n := 0
	for _, name := range names {
		if object[name] != nil {
			n++
		}
	}
	return n
}

// scalarValue checks a scalar more strictly than the parser, which takes "7" for a number.
func scalarValue(name string, v any) error {
	switch name {
	case "Int":
		return intValue(v)
	case "Float":
		return floatValue(v)
	case "Boolean":
		if _, ok := v.(bool); !ok {
			return knowledge.Invalid("", "must be true or false")
		}
	case "ID":
		if s, ok := v.(string); ok {
			return textValue(s, knowledge.MaxIDLength)
		}
	case "String":
		s, ok := v.(string)
		if !ok {
			return knowledge.Invalid("", "must be a text")
		}
		return textValue(s, knowledge.MaxTextLength)
	case "DateTime":
		_, err := scalar.UnmarshalDateTime(v)
		return err
	case "JSON":
		_, err := scalar.UnmarshalJSON(v)
		return err
	}
	return nil
}

func intValue(v any) error {
	var n int64
	switch v := v.(type) {
	case int64:
		n = v
	case int:
		n = int64(v)
	case json.Number:
		var err error
		if n, err = v.Int64(); err != nil {
			return knowledge.Invalid("", "must be a whole number")
		}
	default:
		return knowledge.Invalid("", "must be a whole number")
	}
	if n < math.MinInt32 || n > math.MaxInt32 {
		return knowledge.Invalid("", "must be a whole number of 32 bits")
	}
	return nil
}

func floatValue(v any) error {
	var f float64
	switch v := v.(type) {
	case float64:
		f = v
	case int64, int:
		return nil
	case json.Number:
		var err error
		if f, err = v.Float64(); err != nil {
			return knowledge.Invalid("", "must be a number")
		}
	default:
		return knowledge.Invalid("", "must be a number")
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return knowledge.Invalid("", "must be a finite number")
	}
	return nil
}

// textValue bounds a text; NUL ends texts in other programs, so it is not taken.
func textValue(s string, limit int) error {
	if strings.ContainsRune(s, 0) {
		return knowledge.Invalid("", "must not contain the character NUL")
	}
	if len(s) > limit && utf8.RuneCountInString(s) > limit {
		return knowledge.Limit("", "must not be longer than %d characters", limit)
	}
	return nil
}

func inField(at fieldPath, err error) error {
	var e *knowledge.Error
	if !errors.As(err, &e) {
		return err
	}
	placed := *e
	placed.Field = at.String()
	return &placed
}
