package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/mavencache"
	"mneme/mcp"
)

// doorCase is one thing that is asked through GraphQL, the command line and MCP. What is
// picked of the three answers is equal, and as wanted where that is said.
type doorCase struct {
	Name    string
	GraphQL struct {
		Query string
		Pick  map[string]string
	}
	CLI struct {
		Args []string
		Pick map[string]string
	}
	MCP struct {
		Tool      string
		Arguments map[string]any
		Resource  string
		Pick      map[string]string
	}
	Want map[string]any
	Code string // of the error that it is
}

// doors are the three ways in, over one workspace.
type doors struct {
	env     environment
	key     string
	graphql http.Handler
	mcp     *sdk.ClientSession
}

func openDoors(t *testing.T) *doors {
	t.Helper()
	d := &doors{env: testEnvironment(t), key: freshKey()}
	require.Equal(t, exitDone, runMneme(t, d.env, "", "workspace", "create", d.key).status)
	p := &program{getenv: d.env.get}
	cfg, err := p.loadConfig()
	require.NoError(t, err)
	nothing := func(string) func(mavencache.Progress) { return func(mavencache.Progress) {} }
	a, err := build(t.Context(), buildOptions{Config: cfg, Log: slog.New(slog.DiscardHandler), Progress: nothing, Quick: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.Close(t.Context()) })
	d.graphql, err = a.handler()
	require.NoError(t, err)
	protocol, err := a.mcp().Protocol(mcp.Session{Workspace: d.key})
	require.NoError(t, err)
	near, far := sdk.NewInMemoryTransports()
	_, err = protocol.Connect(t.Context(), far, nil)
	require.NoError(t, err)
	d.mcp, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), near, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.mcp.Close() })
	return d
}

// byGraphQL gives the answer, or the code of the error.
func (d *doors) byGraphQL(t *testing.T, c doorCase) (any, string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": c.GraphQL.Query, "variables": map[string]any{"w": d.key}})
	require.NoError(t, err)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/graphql", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	d.graphql.ServeHTTP(w, r)
	got := fromJSON[struct {
		Data   any
		Errors []struct{ Extensions struct{ Code string } }
	}](t, w.Body.String())
	if len(got.Errors) > 0 {
		return nil, got.Errors[0].Extensions.Code
	}
	return got.Data, ""
}

func (d *doors) byCommandLine(t *testing.T, c doorCase) (any, string) {
	t.Helper()
	out := runMneme(t, d.env, "", append(c.CLI.Args, "--workspace", d.key)...)
	if out.status != exitDone {
		code := regexp.MustCompile(`\[([A-Z_]+)\]`).FindStringSubmatch(out.stderr)
		require.NotNil(t, code, out.stderr)
		return nil, code[1]
	}
	return fromJSON[any](t, out.stdout), ""
}

func (d *doors) byMCP(t *testing.T, c doorCase) (any, string) {
	t.Helper()
	if c.MCP.Resource != "" {
		got, err := d.mcp.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "mneme://" + d.key + "/" + c.MCP.Resource})
		require.NoError(t, err)
		return fromJSON[any](t, got.Contents[0].Text), ""
	}
	got, err := d.mcp.CallTool(t.Context(), &sdk.CallToolParams{Name: c.MCP.Tool, Arguments: c.MCP.Arguments})
	require.NoError(t, err)
	if got.IsError {
		return nil, got.StructuredContent.(map[string]any)["code"].(string)
	}
	return got.StructuredContent, ""
}

// picked is what the paths name: an element that ends in [] is a list, of which everything
// behind it is gathered.
func picked(t *testing.T, answer any, paths map[string]string) map[string]any {
	t.Helper()
	out := map[string]any{}
	for name, path := range paths {
		values, list := gather(t, answer, strings.Split(path, "."))
		if out[name] = any(values); !list {
			require.Len(t, values, 1, path)
			out[name] = values[0]
		}
	}
	return out
}

func gather(t *testing.T, v any, path []string) (values []any, list bool) {
	t.Helper()
	if len(path) == 0 {
		return []any{v}, false
	}
	key, isList := strings.CutSuffix(path[0], "[]")
	object, ok := v.(map[string]any)
	require.True(t, ok, "%v has no %s", v, key)
	if !isList {
		return gather(t, object[key], path[1:])
	}
	values = []any{}
	items, ok := object[key].([]any)
	require.True(t, ok, "%s is no list of %v", key, v)
	for _, item := range items {
		below, _ := gather(t, item, path[1:])
		values = append(values, below...)
	}
	return values, true
}

// One file of cases, three front doors, equal answers.
func TestThreeFrontDoors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "doors.json"))
	require.NoError(t, err)
	d := openDoors(t)
	for _, c := range fromJSON[[]doorCase](t, string(text)) {
		t.Run(c.Name, func(t *testing.T) { // one after the other: later cases ask for what earlier ones wrote
			graphql, graphqlCode := d.byGraphQL(t, c)
			cli, cliCode := d.byCommandLine(t, c)
			agent, agentCode := d.byMCP(t, c)
			assert.Equal(t, []string{c.Code, c.Code, c.Code}, []string{graphqlCode, cliCode, agentCode}, "GraphQL, command line, MCP")
			if c.Code != "" || t.Failed() {
				return
			}
			want := picked(t, graphql, c.GraphQL.Pick)
			assert.Equal(t, want, picked(t, cli, c.CLI.Pick), "the command line")
			assert.Equal(t, want, picked(t, agent, c.MCP.Pick), "MCP")
			for name, value := range c.Want {
				assert.Equal(t, value, want[name], name)
			}
		})
	}
}
