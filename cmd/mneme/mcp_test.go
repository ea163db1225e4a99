package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/mcp"
)

// startMCP runs `mneme mcp` with a client at its streams; end hangs up and gives the exit status.
func startMCP(t *testing.T, env environment, args ...string) (session *sdk.ClientSession, end func() int) {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	stderr := newWatchedBuffer()
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), append([]string{"mcp"}, args...), toServer, fromServer, stderr, env.get)
		_ = fromServer.Close()
	}()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	require.NoError(t, err, stderr.String())
	return session, func() int {
		_ = fromClient.Close()
		status := <-ended
		_ = session.Close()
		return status
	}
}

func TestJ1_MCPCommand(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	require.Equal(t, exitDone, runMneme(t, env, "", "workspace", "create", key).status)
	session, end := startMCP(t, env, "--workspace", key)
	got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "kg_create_entity", Arguments: map[string]any{"entity_type": "service", "name": "Gateway"}})
	require.NoError(t, err)
	require.False(t, got.IsError, "%v", got.StructuredContent)
	assert.Equal(t, exitDone, end(), "a client that hangs up ends it")
	out := runMneme(t, env, "", "context", "gateway", "--workspace", key)
	assert.Equal(t, "KNOWLEDGE GRAPH (known entities and relationships):\n- [service] Gateway\n", out.stdout)

	session, end = startMCP(t, env, "--workspace", key, "--read-only")
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range tools.Tools {
		assert.True(t, tool.Annotations.ReadOnlyHint, "J2 %s", tool.Name)
	}
	assert.Equal(t, exitDone, end())

	for _, args := range [][]string{{"--mode", "nonsense"}, {"--channel", "nonsense"}, {"--listen", "0.0.0.0:1"}, {"argument"}} {
		out := runMneme(t, env, "", append([]string{"mcp"}, args...)...)
		assert.Equal(t, exitInput, out.status, "%v", args)
		assert.Empty(t, out.stdout, "nothing but the protocol is spoken there")
	}
	env["MNEME_LIMIT_MCP_TOKENS"] = "5"
	out = runMneme(t, env, "", "mcp")
	assert.Equal(t, exitInput, out.status)
	assert.Contains(t, out.stderr, "MNEME_LIMIT_MCP_TOKENS")
}

// A client is connected while there is no database, and is told so.
func TestJ1_MCPCommandWithoutDatabase(t *testing.T) {
	t.Parallel()
	env := testEnvironment(t)
	env["NEO4J_URI"] = "bolt://127.0.0.1:1"
	session, end := startMCP(t, env)
	got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "kg_search", Arguments: map[string]any{"query": "x"}})
	require.NoError(t, err)
	require.True(t, got.IsError)
	assert.Equal(t, "UNAVAILABLE", got.StructuredContent.(map[string]any)["code"])
	assert.NotContains(t, got.StructuredContent.(map[string]any)["message"], "127.0.0.1")
	assert.Equal(t, exitDone, end())
}

func TestMCPOverHTTPCommand(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	require.Equal(t, exitDone, runMneme(t, env, "", "workspace", "create", key).status)
	ctx, stop := context.WithCancel(t.Context())
	stdout, ended := newWatchedBuffer(), make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"mcp", "--http", "--listen", "127.0.0.1:0", "--workspace", key}, strings.NewReader(""), stdout, io.Discard, env.get)
	}()
	address := stdout.await(t, ended, `(http://\S+/mcp)`)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: address, DisableStandaloneSSE: true}, nil)
	require.NoError(t, err)
	got, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "kg_search", Arguments: map[string]any{"query": "x"}})
	require.NoError(t, err)
	assert.False(t, got.IsError, "%v", got.StructuredContent)
	require.NoError(t, session.Close())
	stop()
	assert.Equal(t, exitDone, <-ended)
}

func TestF9_SessionOfRequest(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]mcp.Session{
		"": {},
		"workspace=acme&mode=plan&channel=private&read_only=true&contact=Ann": {Workspace: "acme", Mode: knowledge.CallerPlans, Channel: knowledge.ChannelPrivate, ReadOnly: true, Contact: "Ann"},
		"read_only=0": {},
	} {
		got, err := sessionOfRequest(&http.Request{URL: &url.URL{RawQuery: query}})
		require.NoError(t, err, query)
		assert.Equal(t, want, got, query)
	}
	for query, field := range map[string]string{
		"readonly=true": "readonly", "read_only=perhaps": "read_only", "contact=": "contact", "contact=Ann&contact=Bob": "contact", "workspace=": "workspace",
	} {
		_, err := sessionOfRequest(&http.Request{URL: &url.URL{RawQuery: query}})
		var e *knowledge.Error
		require.ErrorAs(t, err, &e, query)
		assert.Equal(t, field, e.Field, query)
	}
}
