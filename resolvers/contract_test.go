package resolvers

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"

	"mneme/graph"
)

var update = flag.Bool("update", false, "write the golden files anew")

// served is the schema that the API serves.
func served() *ast.Schema { return executableSchema(&Resolver{}).Schema() }

// own are the types of a schema that are not GraphQL's.
func own(schema *ast.Schema) map[string]*ast.Definition {
	types := map[string]*ast.Definition{}
	for name, def := range schema.Types {
		if !def.BuiltIn && !strings.HasPrefix(name, "__") {
			types[name] = def
		}
	}
	return types
}

// testdata/contract.golden is the shape of the whole API as it was designed, without
// its texts. What is served must be in it, with equal types, arguments and defaults.
func TestSchema_FitsContract(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "contract.golden"))
	require.NoError(t, err)
	contract, gqlErr := gqlparser.LoadSchema(&ast.Source{Name: "contract.golden", Input: string(text)})
	require.NoError(t, gqlErr)

	for name, def := range own(served()) {
		want := contract.Types[name]
		if !assert.NotNil(t, want, "type %s is not in the contract", name) {
			continue
		}
		assert.Equal(t, want.Kind, def.Kind, name)
		assert.Equal(t, want.Interfaces, def.Interfaces, name)
		assert.Equal(t, directiveNames(want.Directives), directiveNames(def.Directives), name)
		if def.Kind == ast.Enum || def.Kind == ast.Union || def.Kind == ast.InputObject {
			assert.Equal(t, shape(want), shape(def), "%s must be complete", name)
		}
		for _, field := range def.Fields {
			wanted := want.Fields.ForName(field.Name)
			if assert.NotNil(t, wanted, "%s.%s is not in the contract", name, field.Name) {
				assert.Equal(t, fieldShape(wanted), fieldShape(field), "%s.%s", name, field.Name)
			}
		}
	}
}

func directiveNames(list ast.DirectiveList) []string {
	names := make([]string, 0, len(list))
	for _, d := range list {
		names = append(names, d.Name)
	}
	return names
}

// shape is what a closed type consists of.
func shape(def *ast.Definition) map[string]string {
	parts := map[string]string{}
	for _, v := range def.EnumValues {
		parts[v.Name] = ""
	}
	for _, member := range def.Types {
		parts[member] = ""
	}
	for _, f := range def.Fields {
		parts[f.Name] = fieldShape(f)
	}
	return parts
}

func fieldShape(f *ast.FieldDefinition) string {
	var b strings.Builder
	for _, arg := range f.Arguments {
		b.WriteString(arg.Name + ": " + arg.Type.String() + defaultShape(arg.DefaultValue) + ", ")
	}
	return b.String() + "→ " + f.Type.String() + defaultShape(f.DefaultValue)
}

func defaultShape(v *ast.Value) string {
	if v == nil {
		return ""
	}
	return " = " + v.String()
}

// testdata/schema.golden is the shape of what is served, so that a breaking change shows in the diff.
func TestSchema_Golden(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	formatter.NewFormatter(&b, formatter.WithIndent("  "), formatter.WithoutDescription()).FormatSchema(served())
	path := filepath.Join("testdata", "schema.golden")
	if *update {
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "the schema changed: look at the diff, then run the tests with -update")
}

func TestSchema_EverythingIsDescribed(t *testing.T) {
	t.Parallel()
	for name, def := range own(served()) {
		assert.NotEmpty(t, def.Description, name)
		for _, v := range def.EnumValues {
			assert.NotEmpty(t, v.Description, "%s.%s", name, v.Name)
		}
		for _, f := range def.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			assert.NotEmpty(t, f.Description, "%s.%s", name, f.Name)
			for _, arg := range f.Arguments {
				assert.NotEmpty(t, arg.Description, "%s.%s(%s)", name, f.Name, arg.Name)
			}
		}
	}
}

// gqlgen binds a field to a struct field of the same name and drops its arguments,
// unless gqlgen.yml asks for a resolver.
func TestSchema_FieldsWithArgumentsHaveResolvers(t *testing.T) {
	t.Parallel()
	for name, def := range own(served()) {
		if def.Kind != ast.Object {
			continue
		}
		for _, f := range def.Fields {
			if len(f.Arguments) > 0 && !strings.HasPrefix(f.Name, "__") || f.Name == "totalCount" {
				assert.True(t, hasResolver(name, f.Name), "%s.%s needs a resolver: see gqlgen.yml", name, f.Name)
			}
		}
	}
}

func hasResolver(typeName, field string) bool {
	root := reflect.TypeFor[graph.ResolverRoot]()
	of, ok := root.MethodByName(typeName)
	if !ok {
		return false
	}
	for m := range of.Type.Out(0).Methods() {
		if strings.EqualFold(m.Name, field) {
			return true
		}
	}
	return false
}

// An explicit null would reach a resolver in place of the default.
func TestSchema_DefaultsAreNotNullable(t *testing.T) {
	t.Parallel()
	for name, def := range own(served()) {
		for _, f := range def.Fields {
			if def.Kind == ast.InputObject && f.DefaultValue != nil {
				assert.True(t, f.Type.NonNull, "%s.%s", name, f.Name)
			}
			for _, arg := range f.Arguments {
				if arg.DefaultValue != nil {
					assert.True(t, arg.Type.NonNull, "%s.%s(%s)", name, f.Name, arg.Name)
				}
			}
		}
	}
}

// T26: a failure in one field leaves its neighbours.
func TestT26_RootsAndConnectionsAreNullable(t *testing.T) {
	t.Parallel()
	schema := served()
	for _, f := range schema.Mutation.Fields {
		assert.False(t, f.Type.NonNull, "Mutation.%s", f.Name)
	}
	for name, def := range own(schema) {
		for _, f := range def.Fields {
			if strings.HasSuffix(f.Type.Name(), "Connection") {
				assert.False(t, f.Type.NonNull, "%s.%s", name, f.Name)
			}
		}
	}
	for _, f := range schema.Query.Fields {
		if f.Name != "nodes" && !strings.HasPrefix(f.Name, "__") {
			assert.False(t, f.Type.NonNull, "Query.%s", f.Name)
		}
	}
}

// T8: every mutation takes a key.
func TestT8_EveryMutationTakesAKey(t *testing.T) {
	t.Parallel()
	answers := newAnswerTypes()
	for _, f := range served().Mutation.Fields {
		arg := f.Arguments.ForName("idempotencyKey")
		if assert.NotNil(t, arg, f.Name) {
			assert.Equal(t, "String", arg.Type.String(), f.Name)
		}
		assert.NotNil(t, answers.of(f.Name), "the answer of %s cannot be read back", f.Name)
	}
}
