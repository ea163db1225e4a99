package service_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/stretchr/testify/require"

	"mneme/internal/neo4jtest"
	"mneme/knowledge"
	"mneme/service"
)

func (b *bundle) curation() *service.Curation { return b.all.Curation }

func (b *bundle) join(t *testing.T, from, typ, to string, edit ...func(*knowledge.EdgeDraft)) *knowledge.Edge {
	t.Helper()
	d := knowledge.EdgeDraft{From: knowledge.EntityRef{ID: from}, To: knowledge.EntityRef{ID: to}, Type: typ}
	for _, e := range edit {
		e(&d)
	}
	made, err := b.edges.Assert(t.Context(), b.to, d)
	require.NoError(t, err)
	return made.Edge
}

func (b *bundle) remark(t *testing.T, entity, text string, edit ...func(*knowledge.ObservationDraft)) *knowledge.Observation {
	t.Helper()
	d := knowledge.ObservationDraft{Entity: knowledge.EntityRef{ID: entity}, Text: text}
	for _, e := range edit {
		e(&d)
	}
	made, err := b.notes.Add(t.Context(), b.to, d)
	require.NoError(t, err)
	return made.Observation
}

func (b *bundle) lookUp(t *testing.T, id string) *knowledge.Entity {
	t.Helper()
	found, err := b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{ID: id})
	require.NoError(t, err)
	return found
}

// rawDriver reads the test database as it is; it is opened once a process.
func rawDriver(t *testing.T) neo4j.DriverWithContext {
	t.Helper()
	uri, user, password := neo4jtest.Connect(t)
	raw.Do(func() { raw.driver, raw.err = neo4j.NewDriverWithContext(uri, neo4j.BasicAuth(user, password, "")) })
	require.NoError(t, raw.err)
	return raw.driver
}

var raw struct {
	sync.Once
	driver neo4j.DriverWithContext
	err    error
}

// dumpLabels are the labels of what a workspace holds, but for the merges themselves.
var dumpLabels = []string{"Entity", "Identity", "Alias", "Fact", "Observation", "Entry", "Redirect", "Document", "Task", "Message"}

// dump is everything that a workspace holds, nodes and relationships with every property, sorted.
func (b *bundle) dump(t *testing.T) []string {
	t.Helper()
	ctx, driver := t.Context(), rawDriver(t)
	var out []string
	for _, label := range dumpLabels {
		result, err := neo4j.ExecuteQuery(ctx, driver, `MATCH (n:`+label+` {workspaceId: $ws})
			RETURN labels(n) AS labels, properties(n) AS props,
			[(n)-[r]->(m) | [type(r), properties(r), labels(m), coalesce(m.id, m.key, m.kind + m.value)]] AS links`, map[string]any{"ws": b.ws.ID}, neo4j.EagerResultTransformer)
		require.NoError(t, err)
		for _, record := range result.Records {
			labels, _ := record.Get("labels")
			props, _ := record.Get("props")
			// Whoever uses the database fills the vectors that edges and observations wait for.
			maps.DeleteFunc(props.(map[string]any), func(name string, _ any) bool {
				return label != "Entry" && (strings.HasPrefix(name, "vector_") || strings.HasPrefix(name, "embed") || name == "awaitsVector")
			})
			node := label + " " + shownValue(labels) + " " + shownValue(props)
			out = append(out, node)
			links, _ := record.Get("links")
			for _, link := range links.([]any) {
				out = append(out, fmt.Sprint(label, " ", props.(map[string]any)["id"], props.(map[string]any)["key"], props.(map[string]any)["value"], " ", shownValue(link)))
			}
		}
	}
	slices.Sort(out)
	return out
}

// shownValue is a value as text: maps sorted by key, labels sorted, moments in UTC.
func shownValue(v any) string {
	switch x := v.(type) {
	case map[string]any:
		parts := make([]string, 0, len(x))
		for key, value := range x {
			parts = append(parts, key+"="+shownValue(value))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		parts := make([]string, 0, len(x))
		for _, value := range x {
			parts = append(parts, shownValue(value))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case time.Time:
		return x.UTC().Format(time.RFC3339Nano)
	default:
		return fmt.Sprintf("%T:%v", v, v)
	}
}

// requireCode asserts that an error is ours, of a code, and blames a field.
func requireCode(t *testing.T, err error, code knowledge.Code, field string) {
	t.Helper()
	var ours *knowledge.Error
	require.ErrorAs(t, err, &ours)
	require.Equal(t, code, ours.Code, ours.Message)
	require.Equal(t, field, ours.Field, ours.Message)
}

func allEdges() service.EdgeQuery {
	return service.EdgeQuery{Direction: knowledge.Both, At: knowledge.TimePoint{IncludeHistory: true}}
}
