package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/neo4jtest"
	"mneme/knowledge"
	"mneme/mcp"
	"mneme/service"
)

// world is all use cases on the real database, with a workspace of its own.
type world struct {
	services *service.Services
	server   *mcp.Server
	ws       *knowledge.Workspace
	by       service.Target // a person
}

func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

func newID(prefix string) string { return prefix + "_" + strings.ToLower(ulid.Make().String()) }

func newWorld(t *testing.T, edit ...func(*service.Config)) *world {
	t.Helper()
	config := service.Config{
		Store: neo4jtest.Open(t), Clock: now, NewID: newID,
		Features: func(*knowledge.Workspace) []knowledge.Feature {
			return knowledge.EffectiveFeatures(knowledge.Deployment{ModelConfigured: len(edit) > 0}, nil)
		},
	}
	for _, e := range edit {
		e(&config)
	}
	w := &world{services: service.New(config)}
	w.server = mcp.New(mcp.Config{Services: w.ready, Version: "test", Log: slog.New(slog.DiscardHandler)})
	person := knowledge.Caller{Name: "test", Actor: knowledge.ActorManual}
	ws, err := w.services.Workspaces.Create(t.Context(), person, newID("t"), "A test")
	require.NoError(t, err)
	w.ws, w.by = ws, service.Target{Workspace: ws.Key, Caller: person}
	return w
}

func (w *world) ready(context.Context) (*service.Services, error) { return w.services, nil }

func (w *world) entity(t *testing.T, typ, name, description string) *knowledge.Entity {
	t.Helper()
	d := knowledge.EntityDraft{Type: typ, Name: name}
	if description != "" {
		d.Description = &description
	}
	out, err := w.services.Entities.Upsert(t.Context(), w.by, d)
	require.NoError(t, err)
	return out.Entity
}

func (w *world) edge(t *testing.T, from *knowledge.Entity, typ string, to *knowledge.Entity) *knowledge.Edge {
	t.Helper()
	out, err := w.services.Edges.Assert(t.Context(), w.by, knowledge.EdgeDraft{From: knowledge.EntityRef{ID: from.ID}, To: knowledge.EntityRef{ID: to.ID}, Type: typ})
	require.NoError(t, err)
	return out.Edge
}

func (w *world) entry(t *testing.T, title, content string, contacts ...*knowledge.Entity) *knowledge.Entry {
	t.Helper()
	d := knowledge.EntryDraft{Type: knowledge.EntryFact, Title: title, Content: content, Source: knowledge.SourceManual, Confidence: 0.8}
	for _, c := range contacts {
		d.Contacts = append(d.Contacts, knowledge.EntityRef{ID: c.ID})
	}
	out, err := w.services.Entries.Create(t.Context(), w.by, d)
	require.NoError(t, err)
	return out.Entry
}

// client is a client of the SDK that checks every answer against the schema of its tool
// and against the budget.
type client struct {
	*sdk.ClientSession
	tools map[string]*sdk.Tool
	most  int // how large an answer may be, in tokens
}

// over connects a client to a session over a transport, by its name.
func (w *world) over(t *testing.T, transport string, of mcp.Session) *client {
	t.Helper()
	if of.Workspace == "" {
		of.Workspace = w.ws.Key
	}
	var end sdk.Transport
	switch transport {
	case "stdio":
		toServer, fromClient := io.Pipe()
		toClient, fromServer := io.Pipe()
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		done := make(chan error, 1)
		go func() { done <- w.server.Run(ctx, of, toServer, fromServer) }()
		t.Cleanup(func() { cancel(); <-done })
		end = &sdk.IOTransport{Reader: toClient, Writer: fromClient}
	case "http":
		web := httptest.NewServer(w.server.Handler(func(*http.Request) (mcp.Session, error) { return of, nil }))
		t.Cleanup(web.Close)
		end = &sdk.StreamableClientTransport{Endpoint: web.URL, DisableStandaloneSSE: true}
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), end, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	c := &client{ClientSession: session, tools: map[string]*sdk.Tool{}, most: mcp.DefaultMaxTokens}
	listed, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range listed.Tools {
		c.tools[tool.Name] = tool
	}
	return c
}

// session connects over standard input and output.
func (w *world) session(t *testing.T, of mcp.Session) *client {
	t.Helper()
	return w.over(t, "stdio", of)
}

type args = map[string]any

// call calls a tool and gives its answer, which must not be an error.
func (c *client) call(t *testing.T, name string, a args) map[string]any {
	t.Helper()
	got, failed := c.try(t, name, a)
	require.False(t, failed, "%s: %v", name, got)
	return got
}

// refused calls a tool and gives the code and field of the error that it must answer.
func (c *client) refused(t *testing.T, name string, a args) (code, field string) {
	t.Helper()
	got, failed := c.try(t, name, a)
	require.True(t, failed, "%s must be refused, but answered %v", name, got)
	code, _ = got["code"].(string)
	field, _ = got["field"].(string)
	return code, field
}

// try calls a tool. Whatever it answers fits its schema, is the same as text, and stays
// under the budget.
func (c *client) try(t *testing.T, name string, a args) (answer map[string]any, failed bool) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: a})
	require.NoError(t, err, name)
	raw, err := json.Marshal(result)
	require.NoError(t, err)
	assert.LessOrEqual(t, len([]rune(string(raw)))/4, c.most, "T14 %s is larger than the budget", name)
	require.Len(t, result.Content, 1)
	text, ok := result.Content[0].(*sdk.TextContent)
	require.True(t, ok)
	structured, err := json.Marshal(result.StructuredContent)
	require.NoError(t, err)
	assert.JSONEq(t, string(structured), text.Text, "both forms say the same")
	require.NoError(t, json.Unmarshal(structured, &answer))
	if tool := c.tools[name]; tool != nil {
		var schema jsonschema.Schema
		text, err := json.Marshal(tool.OutputSchema)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &schema))
		resolved, err := schema.Resolve(nil)
		require.NoError(t, err)
		assert.NoError(t, resolved.Validate(answer), "%s: %s", name, structured)
	}
	return answer, result.IsError
}

// all follows the cursor of a call to its end and gives the items of a list in it.
func (c *client) all(t *testing.T, name string, a args, list string) (items []map[string]any, pages int) {
	t.Helper()
	next := args{}
	for k, v := range a {
		next[k] = v
	}
	for {
		got := c.call(t, name, next)
		pages++
		require.Less(t, pages, 1_000, "the cursor does not end")
		for _, item := range got[list].([]any) {
			items = append(items, item.(map[string]any))
		}
		cursor, more := got["cursor"].(string)
		if !more {
			return items, pages
		}
		next["cursor"] = cursor
	}
}

// at reads a value out of an answer by its path.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, ok := v.(map[string]any)
			require.True(t, ok, "%v is no object at %v of %v", v, step, path)
			v = object[step]
		case int:
			list, ok := v.([]any)
			require.True(t, ok && step < len(list), "%v has no element %d", v, step)
			v = list[step]
		}
	}
	return v
}

func idsOf(items []map[string]any, path ...string) map[string]bool {
	out := map[string]bool{}
	for _, item := range items {
		for _, step := range path {
			item = item[step].(map[string]any)
		}
		out[item["id"].(string)] = true
	}
	return out
}
