package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/neo4jtest"
	"mneme/knowledge"
)

var (
	browserQuery = regexp.MustCompile("(?s)\\*\\*(\\d+\\. [^*]+)\\*\\*[^`]*```cypher\n(.*?)```")
	browserParam = regexp.MustCompile(`:param (\w+) => '([^']*)'`)
)

// SPEC T20: every query of docs/BROWSER.md finds something in the demo, with the
// parameters that it names, and nothing that it asks for is unknown to the database.
func TestT20_BrowserQueries(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	p := &program{getenv: env.get, stdout: &output{w: io.Discard}, stderr: &output{w: io.Discard}}
	require.NoError(t, p.withApp(t.Context(), func(a *App) error { return p.fillDemo(t.Context(), a, key) }))
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "BROWSER.md"))
	require.NoError(t, err)
	params := map[string]any{}
	for _, m := range browserParam.FindAllStringSubmatch(string(text), -1) {
		params[m[1]] = m[2]
	}
	require.Equal(t, demoWorkspace, params["key"])
	params["key"] = key
	uri, user, password := neo4jtest.Connect(t)
	driver, err := neo4j.NewDriverWithContext(uri, neo4j.BasicAuth(user, password, ""))
	require.NoError(t, err)
	defer func() { assert.NoError(t, driver.Close(context.WithoutCancel(t.Context()))) }()

	queries := browserQuery.FindAllStringSubmatch(string(text), -1)
	assert.Len(t, queries, strings.Count(string(text), "```cypher"), "each has a number and a title")
	assert.GreaterOrEqual(t, len(queries), 12)
	for _, q := range queries {
		result, err := neo4j.ExecuteQuery(t.Context(), driver, q[2], params, neo4j.EagerResultTransformer, neo4j.ExecuteQueryWithReadersRouting())
		require.NoError(t, err, q[1])
		assert.NotEmpty(t, result.Records, q[1])
		for _, n := range result.Summary.Notifications() {
			assert.NotContains(t, n.Code(), "Unknown", "%s: %s", q[1], n.Description())
			assert.NotContains(t, n.Code(), "Deprecated", "%s: %s", q[1], n.Description())
		}
		assert.False(t, result.Summary.Counters().ContainsUpdates(), "%s only looks", q[1])
	}
}

// SPEC A3, T20: the style sheet shows every built-in type in its colour.
func TestT20_StyleSheet(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "mneme.grass"))
	require.NoError(t, err)
	for _, typ := range knowledge.BuiltInEntityTypes() {
		assert.Contains(t, string(text), "node."+knowledge.EntityLabel(typ.Key)+" {\n  color: "+typ.Color+";", typ.Key)
	}
	assert.Equal(t, strings.Count(string(text), "{\n"), strings.Count(string(text), "\n}"))
	assert.Contains(t, string(text), `caption: "<type>"`)
}
