package mcp

import (
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf is the schema of a type: what its tags say, without the alternative "null" that
// Go's pointers and slices would have. It fails for types that are no JSON only.
func schemaOf[T any]() (*jsonschema.Schema, error) {
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"},
		reflect.TypeFor[moment]():    {Type: "string", Format: "date-time"},
		reflect.TypeFor[reference](): {Type: "string"},
		reflect.TypeFor[subject]():   subjectSchema(),
		reflect.TypeFor[list]():      {Type: "array", Items: &jsonschema.Schema{Type: "string"}},
	}})
	if err != nil {
		return nil, err
	}
	withoutNull(schema)
	return schema, nil
}

func subjectSchema() *jsonschema.Schema {
	text := func(description string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Description: description}
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		text("an id, a name or a mail address"),
		{
			Type: "object", AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			Properties: map[string]*jsonschema.Schema{
				"id": text("an entity's id"), "name": text("its name"), "type": text("its type, beside a name; what it is made as where it is missing"),
				"email": text("its mail address"),
			},
		},
	}}
}

func withoutNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if types := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" }); len(types) == 1 {
		s.Types, s.Type = nil, types[0]
	}
	for _, property := range s.Properties {
		withoutNull(property)
	}
	withoutNull(s.Items)
}

// orFailure makes the schema of an answer one that an error fits too: clients check both
// against it.
func orFailure(answer *jsonschema.Schema) (*jsonschema.Schema, error) {
	failed, err := schemaOf[failure]()
	if err != nil {
		return nil, err
	}
	out := *answer
	out.Properties = map[string]*jsonschema.Schema{}
	for name, property := range failed.Properties {
		out.Properties[name] = property
	}
	for name, property := range answer.Properties {
		out.Properties[name] = property
	}
	out.PropertyOrder = append(slices.Clone(answer.PropertyOrder), slices.DeleteFunc(slices.Clone(failed.PropertyOrder), func(name string) bool {
		return answer.Properties[name] != nil
	})...)
	out.Required = nil
	out.AnyOf = []*jsonschema.Schema{{Required: answer.Required}, {Required: failed.Required}}
	return &out, nil
}
