package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a graph of two entities and an edge, as JSON lines.
func small(t *testing.T) string {
	t.Helper()
	return fileOf(t,
		`{"type": "concept", "name": "Wet \"one\"", "description": "line\nbreak 🚀"}`,
		`{"type": "service", "name": "gateway"}`,
		`{"from": {"name": "wet \"one\""}, "to": {"name": "gateway"}, "type": "feeds into", "validFrom": "2026-01-01T00:00:00Z"}`,
	)
}

// SPEC O18 at the command line: what was exported is imported under its own key, and is
// exported again as it was.
func TestO18_ExportAndImport(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	out := runMneme(t, env, "", "import", "graph", small(t), "--workspace", key)
	require.Equal(t, exitDone, out.status, out.stderr)
	one := runMneme(t, env, "", "export", "--workspace", key)
	require.Equal(t, exitDone, one.status, one.stderr)
	assert.True(t, strings.HasPrefix(one.stdout, "{\n  \"workspace\": {"), one.stdout)

	file := filepath.Join(t.TempDir(), "graph.json")
	out = runMneme(t, env, "", "export", "--workspace", key, "--out", file, "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	assert.EqualValues(t, len(one.stdout), fromJSON[exportReport](t, out.stdout).Bytes)
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, one.stdout, string(written))

	out = runMneme(t, env, "", "workspace", "delete", key, "--confirm", key)
	require.Equal(t, exitDone, out.status, out.stderr)
	out = runMneme(t, env, "", "import", "graph", file, "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	report := fromJSON[importReport](t, out.stdout)
	assert.Equal(t, key, report.Workspace, "without --workspace it is the exported one")
	assert.Equal(t, []int{3, 3, 0, 0}, []int{report.Read, report.Created, report.Matched, report.Failed})
	two := runMneme(t, env, "", "export", "--workspace", key)
	assert.Equal(t, one.stdout, two.stdout)

	other := freshKey()
	out = runMneme(t, env, one.stdout, "import", "graph", "-", "--workspace", other, "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	assert.Equal(t, 3, fromJSON[importReport](t, out.stdout).Created)

	cut := filepath.Join(t.TempDir(), "cut.json")
	require.NoError(t, os.WriteFile(cut, written[:len(written)-40], 0o600))
	out = runMneme(t, env, "", "import", "graph", cut, "--workspace", freshKey())
	assert.Equal(t, exitPartly, out.status, out.stderr)
	assert.Contains(t, out.stderr, "ends in the middle")
}

func TestExport_Errors(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"O21 a format that is none":      {[]string{"export", "--format", "pdf"}, "--format: \"pdf\" is not one of"},
		"a moment that is none":          {[]string{"export", "--as-of", "yesterday"}, "--as-of"},
		"a workspace that is none":       {[]string{"export", "--workspace", key}, "NOT_FOUND"},
		"a folder that is not there":     {[]string{"export", "--out", filepath.Join(t.TempDir(), "no", "x.json")}, "--out"},
		"an argument that means nothing": {[]string{"export", "x"}, "unknown command"},
	} {
		out := runMneme(t, env, "", c.args...)
		assert.Equal(t, exitInput, out.status, name)
		assert.Contains(t, out.stderr, c.says, name)
		assert.Empty(t, out.stdout, name)
	}
}

// Whole graphs stream over HTTP, under the rules of the other doors.
func TestO18_ExportOverHTTP(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	out := runMneme(t, env, "", "import", "graph", small(t), "--workspace", key)
	require.Equal(t, exitDone, out.status, out.stderr)
	s := startServer(t, env)
	one := runMneme(t, env, "", "export", "--workspace", key)
	status, body := s.get(t, http.MethodGet, "/export/"+key, "")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, one.stdout, body)
	status, body = s.get(t, http.MethodGet, "/export/"+key+"?format=dot&asOf=2025-01-01T00:00:00Z", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "digraph mneme {\n  rankdir=LR;\n  \"Wet \\\"one\\\"\";\n  \"gateway\";\n}\n", body)

	for path, want := range map[string]int{
		"/export/" + freshKey():             http.StatusNotFound,
		"/export/" + key + "?format=pdf":    http.StatusBadRequest,
		"/export/" + key + "?asOf=tomorrow": http.StatusBadRequest,
		"/export/" + key + "?x=1":           http.StatusBadRequest,
	} {
		status, body = s.get(t, http.MethodGet, path, "")
		assert.Equal(t, want, status, path)
		assert.Contains(t, body, `"code"`, path)
	}
	status, _ = s.get(t, http.MethodPost, "/export/"+key, "")
	assert.Equal(t, http.StatusMethodNotAllowed, status)

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/export/"+key, nil)
	require.NoError(t, err)
	req.Host = "evil.example"
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	assert.Equal(t, http.StatusForbidden, resp.StatusCode, "as the API")

	status, body = s.get(t, http.MethodPost, "/graphql", `{"query":"{workspace(key:\"`+key+`\"){export(format: MERMAID)}}"}`)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, `flowchart LR`)
	status, body = s.get(t, http.MethodPost, "/graphql", `{"query":"{workspace(key:\"`+key+`\"){a:export(format: DOT) b:export(format: DOT) c:export(format: DOT) d:export(format: DOT) e:export(format: DOT)}}"}`)
	assert.Contains(t, body, "LIMIT_EXCEEDED", "U exports are costly: %d", status)
}
