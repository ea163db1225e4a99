package resolvers

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
)

// place is an argument of a field that an enum can reach: the document that gives it by
// variable, and how the variable is filled.
type place struct {
	name      string
	query     string
	enum      *ast.Definition
	variables func(value any) map[string]any
	field     string // as the error names it
}

// enumPlaces finds every place in the schema where an enum goes in, so that a new one is tested too.
func enumPlaces(schema *ast.Schema) []place {
	var places []place
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation, schema.Types["Workspace"], schema.Types["Entity"], schema.Types["Entry"], schema.Types["Job"], schema.Types["CodeGraph"]} {
		for _, f := range root.Fields {
			for _, arg := range f.Arguments {
				for _, path := range enumPaths(schema, arg.Type, nil) {
					places = append(places, placeOf(schema, root, f, arg, path))
				}
			}
		}
	}
	return places
}

// enumPath leads from a type to an enum: names of input fields, "" for a list.
type enumPath struct {
	steps []string
	enum  *ast.Definition
}

func enumPaths(schema *ast.Schema, t *ast.Type, steps []string) []enumPath {
	if t.Elem != nil {
		return enumPaths(schema, t.Elem, append(steps[:len(steps):len(steps)], ""))
	}
	def := schema.Types[t.NamedType]
	switch def.Kind {
	case ast.Enum:
		return []enumPath{{steps, def}}
	case ast.InputObject:
		var paths []enumPath
		for _, f := range def.Fields {
			paths = append(paths, enumPaths(schema, f.Type, append(steps[:len(steps):len(steps)], f.Name))...)
		}
		return paths
	default:
		return nil
	}
}

func placeOf(schema *ast.Schema, root *ast.Definition, f *ast.FieldDefinition, arg *ast.ArgumentDefinition, path enumPath) place {
	selection := ""
	if kind := schema.Types[f.Type.Name()].Kind; kind == ast.Object || kind == ast.Interface || kind == ast.Union {
		selection = "{__typename}"
	}
	args := []string{arg.Name + ": $v"}
	for _, other := range f.Arguments {
		if other != arg && other.Type.NonNull && other.DefaultValue == nil {
			args = append(args, other.Name+": "+inDocument(sample(schema, other.Type)))
		}
	}
	inner := fmt.Sprintf("%s(%s)%s", f.Name, strings.Join(args, ", "), selection)
	operation := "query"
	switch root.Name {
	case "Mutation":
		operation = "mutation"
	case "Workspace":
		inner = "workspace{" + inner + "}"
	case "CodeGraph":
		inner = "workspace{code{" + inner + "}}"
	case "Entity", "Entry", "Job":
		inner = `node(id: "x"){... on ` + root.Name + "{" + inner + "}}"
	}
	at := argumentPath(arg.Name)
	for _, step := range path.steps {
		if step == "" {
			step = "0"
		}
		at = at.below(step)
	}
	return place{
		name:  root.Name + "." + f.Name + "(" + arg.Name + ")." + strings.Join(path.steps, "."),
		query: fmt.Sprintf("%s($v: %s){%s}", operation, arg.Type, inner),
		enum:  path.enum,
		variables: func(value any) map[string]any {
			return map[string]any{"v": filled(schema, arg.Type, path.steps, value)}
		},
		field: at.String(),
	}
}

// filled is a value of a type with the given value at the end of the steps and whatever else is required.
func filled(schema *ast.Schema, t *ast.Type, steps []string, value any) any {
	if len(steps) == 0 {
		return value
	}
	if t.Elem != nil {
		return []any{filled(schema, t.Elem, steps[1:], value)}
	}
	object := sample(schema, t).(map[string]any)
	def := schema.Types[t.NamedType]
	object[steps[0]] = filled(schema, def.Fields.ForName(steps[0]).Type, steps[1:], value)
	return object
}

// sample is a valid value of a type with nothing but what is required.
func sample(schema *ast.Schema, t *ast.Type) any {
	if t.Elem != nil {
		return []any{sample(schema, t.Elem)}
	}
	def := schema.Types[t.NamedType]
	switch def.Kind {
	case ast.Enum:
		return enumValue(def.EnumValues[0].Name)
	case ast.InputObject:
		switch t.NamedType {
		case "EntityRef", "EntryRef":
			return map[string]any{"id": "x"}
		case "ContactScopeInput":
			return map[string]any{"orgWide": true}
		}
		object := map[string]any{}
		for _, f := range def.Fields {
			if f.Type.NonNull && f.DefaultValue == nil {
				object[f.Name] = sample(schema, f.Type)
			}
		}
		return object
	}
	switch t.NamedType {
	case "Int", "Float":
		return 1
	case "Boolean":
		return true
	case "DateTime":
		return "2026-01-01T00:00:00Z"
	case "JSON":
		return map[string]any{}
	default:
		return "x"
	}
}

// enumValue is a text that stands in a document without quotes.
type enumValue string

// inDocument writes a value as it stands in a document.
func inDocument(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case enumValue:
		return string(v)
	case string:
		return fmt.Sprintf("%q", v)
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = inDocument(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		var parts []string
		for name, item := range v {
			parts = append(parts, name+": "+inDocument(item))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return fmt.Sprint(v)
	}
}

// A20, COMPONENTS: an enum in lower case passes the parser and would arrive as the zero
// value; every enum of every argument is refused here, as are unknown names, empty ones,
// numbers and null where it is not allowed.
func TestEnums_OnlyExactNamesPass(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, nil)
	places := enumPlaces(served())
	require.Greater(t, len(places), 30)
	seen := map[string]bool{}
	for _, p := range places {
		seen[p.enum.Name] = true
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, v := range p.enum.EnumValues {
				a := post(t, h, p.query, p.variables(v.Name))
				require.NotEqual(t, "INVALID_INPUT", a.code(), "%s: %s", v.Name, a.Body)
				a = post(t, h, p.query, p.variables(strings.ToLower(v.Name)))
				require.Equal(t, "INVALID_INPUT", a.code(), a.Body)
				require.Equal(t, p.field, a.field(), a.Body)
				require.False(t, a.HasData, a.Body)
			}
			for _, wrong := range []any{"", "NOPE", 0, 1, true, []any{}, map[string]any{}} {
				if _, list := wrong.([]any); list && strings.HasSuffix(p.name, ".") {
					continue
				}
				a := post(t, h, p.query, p.variables(wrong))
				require.Equal(t, "INVALID_INPUT", a.code(), "%v: %s", wrong, a.Body)
			}
		})
	}
	for name, def := range own(served()) {
		if def.Kind == ast.Enum && !onlyAnswered[name] {
			assert.True(t, seen[name], "no argument with %s was tested", name)
		}
	}
}

// onlyAnswered are enums that no argument takes.
var onlyAnswered = map[string]bool{
	"ErrorCode": true, "ChangeKind": true, "ConfidenceBand": true, "ConfidenceTag": true, "Provenance": true, "RecallLeg": true, "RecallMode": true, "JobState": true,
	"BriefingTier": true, "Coverage": true, "MaintenanceOutcome": true,
}

// An argument with a default is not nullable, and a variable without a value takes the default.
func TestArguments_ExplicitNullForADefault(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, nil)
	schema := served()
	tested := 0
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation, schema.Types["Workspace"], schema.Types["Entity"], schema.Types["Entry"]} {
		for _, f := range root.Fields {
			for _, arg := range f.Arguments {
				if arg.DefaultValue == nil {
					continue
				}
				tested++
				p := placeOf(schema, root, f, arg, enumPath{})
				nullable := strings.Replace(p.query, "$v: "+arg.Type.String(), "$v: "+strings.TrimSuffix(arg.Type.String(), "!"), 1)
				a := post(t, h, nullable, map[string]any{"v": nil})
				assert.Equal(t, "INVALID_INPUT", a.code(), "%s: %s", p.name, a.Body)
				assert.Equal(t, arg.Name, a.field(), "%s: %s", p.name, a.Body)
				a = post(t, h, nullable, nil)
				assert.NotEqual(t, "INVALID_INPUT", a.code(), "%s: %s", p.name, a.Body)
				a = post(t, h, p.query, map[string]any{"v": nil})
				assert.Equal(t, "INVALID_INPUT", a.code(), "%s: %s", p.name, a.Body)
			}
		}
	}
	require.Greater(t, tested, 40)
}

const recallQuery = `query($i: RecallInput!){workspace{recall(input: $i){mode}}}`

// L1: the scope is exactly one of three, also by variable.
func TestL1_ScopeIsExactlyOne(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, nil)
	for _, c := range []struct {
		name  string
		scope any
		field string
		ok    bool
	}{
		{"none", nil, "scope", false},
		{"empty", map[string]any{}, "scope", false},
		{"two", map[string]any{"orgGeneralOnly": true, "orgWide": true}, "scope", false},
		{"contact and org-wide", map[string]any{"contact": map[string]any{"id": "x"}, "orgWide": true}, "scope", false},
		{"null contact", map[string]any{"contact": nil}, "scope", false},
		{"null contact beside org-wide", map[string]any{"contact": nil, "orgWide": true}, "scope", false},
		{"not org-wide", map[string]any{"orgWide": false}, "scope", false},
		{"not general", map[string]any{"orgGeneralOnly": false}, "scope", false},
		{"a contact of nothing", map[string]any{"contact": map[string]any{}}, "scope.contact", false},
		{"org-wide", map[string]any{"orgWide": true}, "", true},
		{"general", map[string]any{"orgGeneralOnly": true}, "", true},
		{"contact", map[string]any{"contact": map[string]any{"name": "Ada"}}, "", true},
	} {
		t.Run("L1 "+c.name, func(t *testing.T) {
			t.Parallel()
			input := map[string]any{"query": "x"}
			if c.scope != nil {
				input["scope"] = c.scope
			}
			a := post(t, h, recallQuery, map[string]any{"i": input})
			if c.ok {
				require.NotEqual(t, "INVALID_INPUT", a.code(), a.Body)
				return
			}
			require.Equal(t, "INVALID_INPUT", a.code(), a.Body)
			require.Equal(t, c.field, a.field(), a.Body)
			require.False(t, a.HasData)
			if scope, ok := c.scope.(map[string]any); ok {
				a = post(t, h, `{workspace{recall(input: {query: "x", scope: `+inDocument(scope)+`}){mode}}}`, nil)
				require.Equal(t, "INVALID_INPUT", a.code(), a.Body)
			}
		})
	}
}

// T27: a reference names an entity in exactly one way.
func TestT27_EntityRefIsExactlyOne(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, nil)
	identity := map[string]any{"kind": "email", "value": "a@b.example"}
	for _, c := range []struct {
		name  string
		ref   map[string]any
		field string
	}{
		{"id", map[string]any{"id": "x"}, ""},
		{"name", map[string]any{"name": "x"}, ""},
		{"name and type", map[string]any{"name": "x", "type": "person"}, ""},
		{"identity", map[string]any{"identity": identity}, ""},
		{"id beside nulls", map[string]any{"id": "x", "name": nil, "type": nil, "identity": nil}, ""},
		{"nothing", map[string]any{}, "ref"},
		{"nulls", map[string]any{"id": nil, "name": nil}, "ref"},
		{"type alone", map[string]any{"type": "person"}, "ref"},
		{"id and name", map[string]any{"id": "x", "name": "x"}, "ref"},
		{"id and identity", map[string]any{"id": "x", "identity": identity}, "ref"},
		{"id and type", map[string]any{"id": "x", "type": "person"}, "ref.type"},
		{"identity and type", map[string]any{"identity": identity, "type": "person"}, "ref.type"},
	} {
		t.Run("T27 "+c.name, func(t *testing.T) {
			t.Parallel()
			a := post(t, h, `query($r: EntityRef!){workspace{entity(ref: $r){id}}}`, map[string]any{"r": c.ref})
			b := post(t, h, `{workspace{entity(ref: `+inDocument(c.ref)+`){id}}}`, nil)
			for _, a := range []answer{a, b} {
				if c.field == "" {
					require.NotEqual(t, "INVALID_INPUT", a.code(), a.Body)
					continue
				}
				require.Equal(t, "INVALID_INPUT", a.code(), a.Body)
				require.Equal(t, c.field, a.field(), a.Body)
			}
		})
	}
}

// Every wrong argument is INVALID_INPUT or LIMIT_EXCEEDED and named as the caller wrote it.
func TestArguments_WrongValuesAreNamed(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, nil)
	const (
		upsert   = `mutation($i: UpsertEntityInput!){upsertEntity(input: $i){created}}`
		entry    = `mutation($i: CreateEntryInput!){createEntry(input: $i){created}}`
		load     = `mutation($i: LoadInput!){load(input: $i){created}}`
		relation = `mutation($i: CreateRelationInput!){createRelation(input: $i){created}}`
		entities = `query($first: Int){workspace{entities(first: $first){nodes{id}}}}`
		summary  = `query($at: TemporalInput){workspace{summary(at: $at){edges}}}`
		edge     = `mutation($i: CreateEdgeInput!){createEdge(input: $i){created}}`
	)
	deep := map[string]any{"leaf": 1}
	for range 20 {
		deep = map[string]any{"a": deep}
	}
	thing := func(more map[string]any) map[string]any {
		object := map[string]any{"type": "person", "name": "Ada"}
		for k, v := range more {
			object[k] = v
		}
		return map[string]any{"i": object}
	}
	for _, c := range []struct {
		name, query string
		variables   map[string]any
		code, field string
	}{
		{"date alone", summary, map[string]any{"at": map[string]any{"asOf": "2026-03-01"}}, "INVALID_INPUT", "at.asOf"},
		{"time without offset", summary, map[string]any{"at": map[string]any{"knownAt": "2026-03-01T10:00:00"}}, "INVALID_INPUT", "at.knownAt"},
		{"number as date", summary, map[string]any{"at": map[string]any{"asOf": 17}}, "INVALID_INPUT", "at.asOf"},
		{"text as number", entities, map[string]any{"first": "10"}, "INVALID_INPUT", "first"},
		{"fraction as whole number", entities, map[string]any{"first": 1.5}, "INVALID_INPUT", "first"},
		{"more than 32 bits", entities, map[string]any{"first": 1 << 40}, "INVALID_INPUT", "first"},
		{"text as confidence", upsert, thing(map[string]any{"confidence": "0.5"}), "INVALID_INPUT", "confidence"},
		{"list as properties", upsert, thing(map[string]any{"properties": []any{1}}), "INVALID_INPUT", "properties"},
		{"text as properties", upsert, thing(map[string]any{"properties": "{}"}), "INVALID_INPUT", "properties"},
		{"properties nested 20 deep", upsert, thing(map[string]any{"properties": deep}), "LIMIT_EXCEEDED", "properties"},
		{"properties of 70 KiB", upsert, thing(map[string]any{"properties": map[string]any{"t": strings.Repeat("x", 70<<10)}}), "LIMIT_EXCEEDED", "properties"},
		{"NUL", upsert, thing(map[string]any{"description": "a\x00b"}), "INVALID_INPUT", "description"},
		{"200 KB of text", upsert, thing(map[string]any{"description": strings.Repeat("x", 200_000)}), "LIMIT_EXCEEDED", "description"},
		{"missing name", upsert, map[string]any{"i": map[string]any{"type": "person"}}, "INVALID_INPUT", "name"},
		{"unknown field", upsert, thing(map[string]any{"nickname": "x"}), "INVALID_INPUT", "nickname"},
		{"typename as a field", upsert, thing(map[string]any{"__typename": "x"}), "INVALID_INPUT", "__typename"},
		{"null in a list", upsert, thing(map[string]any{"aliases": []any{"a", nil}}), "INVALID_INPUT", "aliases.1"},
		{"number in a list of texts", upsert, thing(map[string]any{"aliases": []any{"a", 7}}), "INVALID_INPUT", "aliases.1"},
		{"item of a load", load, map[string]any{"i": map[string]any{"entities": []any{thing(nil)["i"], thing(map[string]any{"source": "agent"})["i"]}}}, "INVALID_INPUT", "entities.1.source"},
		{"reference in an item of a load", load, map[string]any{"i": map[string]any{"entries": []any{map[string]any{"title": "t", "content": "c", "contacts": []any{map[string]any{}}}}}}, "INVALID_INPUT", "entries.0.contacts.0"},
		{"ends of a relation", relation, map[string]any{"i": map[string]any{"from": map[string]any{"id": "x", "sourceId": "y"}, "to": map[string]any{"id": "z"}, "type": "CAUSES"}}, "INVALID_INPUT", "from"},
		{"end of an edge", edge, map[string]any{"i": map[string]any{"from": map[string]any{"id": "x"}, "to": map[string]any{}, "type": "uses"}}, "INVALID_INPUT", "to"},
		{"huge vector number", entry, map[string]any{"i": map[string]any{"title": "t", "content": "c", "embedding": []any{"1e999"}}}, "INVALID_INPUT", "embedding.0"},
		{"id of 600 characters", `query($id: ID!){node(id: $id){id}}`, map[string]any{"id": strings.Repeat("x", 600)}, "LIMIT_EXCEEDED", "id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := post(t, h, c.query, c.variables)
			require.Equal(t, c.code, a.code(), a.Body)
			require.Equal(t, c.field, a.field(), a.Body)
			require.NotContains(t, a.Body, "GRAPHQL_")
			require.Equal(t, http.StatusOK, a.Status)
		})
	}
}
