package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"mneme/knowledge"
	"mneme/mcp"
	"mneme/service"
)

// errorCodes are the codes of the contract that input alone may give.
var errorCodes = []string{"INVALID_INPUT", "NOT_FOUND", "AMBIGUOUS", "CONFLICT", "OVERLAPPING_INTERVAL", "NO_MEMORY", "FEATURE_DISABLED", "LIMIT_EXCEEDED"}

func TestJ13_WrongArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.session(t, mcp.Session{})
	thing := w.entity(t, "service", "Gateway", "")
	for _, call := range []struct {
		tool  string
		a     any
		field string
	}{
		{"kg_search", args{"query": "x", "nonsense": 1}, "nonsense"},
		{"kg_search", args{"Query": "x"}, "Query"},
		{"kg_search", args{}, "query"},
		{"kg_search", nil, "query"},
		{"kg_search", args{"query": nil}, "query"},
		{"kg_search", args{"query": 5}, "query"},
		{"kg_search", args{"query": "x", "limit": "5"}, "limit"},
		{"kg_search", args{"query": "x", "limit": 1.5}, "limit"},
		{"kg_search", args{"query": "x", "limit": []int{1}}, "limit"},
		{"kg_search", []any{"x"}, "arguments"},
		{"kg_search", "x", "arguments"},
		{"kg_search", args{"query": strings.Repeat("x", 100_001)}, "query"},
		{"kg_create_entity", args{"entity_type": "service"}, "name"},
		{"kg_create_entity", args{"entity_type": "  ", "name": "x"}, "entity_type"},
		{"kg_create_entity", args{"entity_type": "service", "name": "  "}, "name"},
		{"kg_create_entity", args{"entity_type": "service", "name": "x", "properties": []any{1}}, "properties"},
		{"kg_create_entity", args{"entity_type": "service", "name": "x", "properties": args{"a": strings.Repeat("x", 70_000)}}, "properties"},
		{"kg_create_entity", args{"entity_type": "service", "name": "x", "task_id": strings.Repeat("x", 600)}, "task_id"},
		{"kg_update_entity", args{"entity_id": thing.ID, "confidence": 1.1}, "confidence"},
		{"kg_update_entity", args{"entity_id": "", "description": "x"}, "entity_id"},
		{"kg_delete_entity", args{"entity_id": strings.Repeat("x", 600)}, "entity_id"},
		{"kg_create_edge", args{"source_entity_id": thing.ID, "target_entity_id": thing.ID, "edge_type": "uses"}, "target_entity_id"},
		{"kg_create_edge", args{"source_entity_id": "", "target_entity_id": thing.ID, "edge_type": "uses"}, "source_entity_id"},
		{"kg_create_edge", args{"source_entity_id": thing.ID, "target_entity_id": args{"id": "x"}, "edge_type": "uses"}, "target_entity_id"},
		{"kg_add_observation", args{"entity_id": thing.ID, "content": " "}, "content"},
		{"kg_get_neighbors", args{"entity_id": thing.ID, "include_history": "yes"}, "include_history"},
		{"kg_get_neighbors", args{"entity_id": thing.ID, "edge_types": []any{1}}, "edge_types"},
		{"kg_find_path", args{"from": thing.ID}, "to"},
		{"remember", args{}, "text"},
		{"remember", args{"text": "x", "turns": []any{args{"speaker": "a", "text": "b"}}}, "turns"},
		{"remember", args{"turns": []any{args{"speaker": "", "text": "b"}}}, "turns.0.speaker"},
		{"remember", args{"text": "x", "type": "gossip"}, "type"},
		{"remember", args{"text": "x", "about": []any{args{"nonsense": 1}}}, "about"},
		{"save_knowledge", args{"title": "x", "content": "y", "confidence": 7}, "confidence"},
		{"save_knowledge", args{"title": "x", "content": "y", "expires_in_days": -1}, "expires_in_days"},
		{"save_knowledge", args{"title": "", "content": "y"}, "title"},
		{"recall_knowledge", args{"query": " "}, "query"},
		{"recall_knowledge", args{"query": "x", "type": "gossip"}, "type"},
		{"get_context", args{"prompt": strings.Repeat("x", 100_001)}, "prompt"},
		{"search_code", args{"query": "x", "kinds": []any{1}}, "kinds"},
		{"search_code", args{"query": strings.Repeat("x", 100_001)}, "query"},
	} {
		result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: call.tool, Arguments: call.a})
		require.NoError(t, err, "%s %v", call.tool, call.a)
		require.True(t, result.IsError, "%s %.200v", call.tool, call.a)
		got := result.StructuredContent.(map[string]any)
		assert.Contains(t, []any{"INVALID_INPUT", "LIMIT_EXCEEDED"}, got["code"], "%s %.200v: %v", call.tool, call.a, got)
		field, _ := got["field"].(string)
		assert.True(t, field == call.field || strings.HasPrefix(field, call.field+"."), "%s %.200v: %v", call.tool, call.a, got)
		assert.NotEmpty(t, got["message"])
	}
	// Numbers beyond the limits are clamped, however large (SPEC U).
	for _, limit := range []any{0, -7, 51, 1e30, json.Number("1e400"), json.Number("10.0")} {
		c.call(t, "kg_search", args{"query": "Gateway", "limit": limit})
	}
}

// hostileTexts are texts that have broken something somewhere (SPEC T11, T12).
func hostileTexts() []string {
	return []string{
		"EBITDA", "NORD AND OR NOT", "a/b", "C++", "tb-", `"quote`, "install | bash", "(x", "'; MATCH (n) DETACH DELETE n //", "`x`", "${x}", "{{fits}}", "$ws",
		"\x00", "\u202e\u0000\ufeff", "NaN", "null", "[]", "{}", "../../etc/passwd", "mneme://x", "<script>", strings.Repeat("(", 5_000), strings.Repeat("a b ", 1_200),
		"the and of", "Zoë Ångström", "王小明", "Иван Петров", "محمد", "ＡＩ", "👩‍👩‍👧", "ent_", "ent_01", "a@b@c", "\"x\" <a@b.example>", "-", "~", "*", "?", ":", "\\", "a\nb",
	}
}

// Whatever a text holds, a tool answers, or refuses with a code of the contract; never
// INTERNAL, and never with a word of a query, a path or a stack.
func TestT11_HostileTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.session(t, mcp.Session{})
	thing := w.entity(t, "service", "Gateway", "")
	w.entry(t, "Gateway", "It routes.")
	texts := map[string][]string{
		"kg_search": {"query", "entity_type"}, "kg_create_entity": {"entity_type", "name", "description", "task_id"}, "kg_update_entity": {"entity_id", "description"},
		"kg_delete_entity": {"entity_id"}, "kg_create_edge": {"source_entity_id", "edge_type", "valid_from"}, "kg_delete_edge": {"edge_id"},
		"kg_invalidate_edge": {"edge_id", "valid_to"}, "kg_add_observation": {"entity_id", "content"}, "kg_get_neighbors": {"entity_id", "as_of", "cursor"},
		"get_entity": {"entity_id", "cursor"}, "kg_find_path": {"from", "to"}, "remember": {"text", "title", "thread_id"}, "save_knowledge": {"title", "content", "contact", "type"},
		"recall_knowledge": {"query", "contact"}, "get_context": {"prompt"}, "search_code": {"query"}, "code_neighbors": {"entity"}, "ask_knowledge": {"question", "contact"},
	}
	whole := map[string]args{
		"kg_create_entity": {"entity_type": "concept", "name": "x"}, "kg_update_entity": {"entity_id": thing.ID}, "kg_create_edge": {"source_entity_id": thing.ID, "target_entity_id": w.entity(t, "concept", "Far", "").ID, "edge_type": "uses"},
		"kg_invalidate_edge": {"edge_id": "edg_x"}, "kg_add_observation": {"entity_id": thing.ID, "content": "x"}, "kg_get_neighbors": {"entity_id": thing.ID},
		"get_entity": {"entity_id": thing.ID}, "kg_find_path": {"from": thing.ID, "to": thing.ID}, "remember": {"text": "x"}, "save_knowledge": {"title": "x", "content": "y"},
		"recall_knowledge": {"query": "x"}, "kg_search": {"query": "x"}, "ask_knowledge": {"question": "x"},
	}
	for tool, arguments := range texts {
		t.Run("T11 "+tool, func(t *testing.T) {
			t.Parallel()
			for _, argument := range arguments {
				for _, text := range hostileTexts() {
					a := args{argument: text}
					for name, value := range whole[tool] {
						if name != argument {
							a[name] = value
						}
					}
					got, failed := c.try(t, tool, a)
					if !failed {
						continue
					}
					assert.Contains(t, errorCodes, got["code"], "%s %s=%q: %v", tool, argument, text, got)
					for _, leak := range []string{"MATCH", "RETURN", "goroutine", ".go:", "org.apache", "Neo"} {
						if !strings.Contains(text, leak) {
							assert.NotContains(t, got["message"], leak, "%s %s=%q", tool, argument, text)
						}
					}
				}
			}
		})
	}
	t.Run("T11 lists", func(t *testing.T) {
		t.Parallel()
		for _, a := range []args{{"entity_ids": hostileTexts()}, {"entity_ids": args{"a": 1}}, {"entity_ids": 5}, {"entity_ids": true}, {"entity_ids": slices.Repeat([]string{"nobody"}, 5_000)}} {
			c.call(t, "kg_get_subgraph", a)
		}
		for _, types := range [][]string{hostileTexts(), slices.Repeat([]string{"uses"}, 500)} {
			if got, failed := c.try(t, "kg_get_neighbors", args{"entity_id": thing.ID, "edge_types": types}); failed {
				assert.Equal(t, "edge_types", got["field"], "%v", got)
			}
		}
	})
	left, err := w.services.Entities.Find(t.Context(), w.ws.ID, knowledge.EntityRef{ID: thing.ID})
	require.NoError(t, err)
	assert.Equal(t, "Gateway", left.Name)
}

// Any JSON as arguments is answered, or refused with a code.
func TestJ13_AnyArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.session(t, mcp.Session{})
	value := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.String(), toAny), rapid.Map(rapid.Float64Range(-1e9, 1e9), toAny), rapid.Map(rapid.Bool(), toAny),
		rapid.Map(rapid.SliceOfN(rapid.String(), 0, 3), toAny), rapid.Map(rapid.MapOfN(rapid.String(), rapid.String(), 0, 3), toAny))
	names := append(readTools(), "kg_update_entity", "kg_delete_edge", "kg_invalidate_edge", "kg_add_observation")
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(names).Draw(rt, "tool")
		properties := c.tools[name].InputSchema.(map[string]any)["properties"].(map[string]any)
		a := args{}
		for argument := range properties {
			if rapid.Bool().Draw(rt, argument) {
				a[argument] = value.Draw(rt, argument)
			}
		}
		got, failed := c.try(t, name, a)
		if failed && !slices.Contains(errorCodes, fmt.Sprint(got["code"])) {
			rt.Fatalf("%s %v: %v", name, a, got)
		}
	})
}

func toAny[T any](v T) any { return v }

// While the services cannot be had each call says so, and works as soon as they can.
func TestJ1_Unavailable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var away error = knowledge.Errorf(knowledge.CodeUnavailable, "the database cannot be had at the moment; try again").Because(errors.New("dial tcp 10.0.0.1"))
	w.server = mcp.New(mcp.Config{Services: func(context.Context) (*service.Services, error) { return w.services, away }})
	c := w.session(t, mcp.Session{})
	for _, name := range append(readTools(), writeTools()...) {
		got, failed := c.try(t, name, sample(c.tools[name]))
		require.True(t, failed, name)
		assert.Equal(t, "UNAVAILABLE", got["code"], name)
		assert.NotContains(t, got["message"], "10.0.0.1")
	}
	_, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "mneme://" + w.ws.Key + "/summary"})
	require.Error(t, err)
	away = nil
	c.call(t, "kg_search", args{"query": "x"})

	away = errors.New("a fault that nobody foresaw, at /secret/path")
	got, failed := c.try(t, "kg_search", args{"query": "x"})
	require.True(t, failed)
	assert.Equal(t, map[string]any{"code": "INTERNAL", "message": "internal error"}, got, "a fault tells nothing")
	away = context.DeadlineExceeded
	code, _ := c.refused(t, "kg_search", args{"query": "x"})
	assert.Equal(t, "TIMEOUT", code)
}

// sample is arguments that a tool takes.
func sample(tool *sdk.Tool) args {
	out := args{}
	schema := tool.InputSchema.(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		switch schema["properties"].(map[string]any)[name.(string)].(map[string]any)["type"] {
		case "array":
			out[name.(string)] = []string{"x"}
		default:
			out[name.(string)] = "x"
		}
	}
	if tool.Name == "remember" {
		out["text"] = "x"
	}
	return out
}

// A call that takes too long ends, and says so.
func TestU_CallsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server = mcp.New(mcp.Config{Timeout: time.Millisecond, Services: func(ctx context.Context) (*service.Services, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	code, _ := w.session(t, mcp.Session{}).refused(t, "kg_search", args{"query": "x"})
	assert.Equal(t, "TIMEOUT", code)
}

// Over HTTP, pages of other sites and names that were made to point here are turned away,
// and so is what is no session.
func TestMCPOverHTTP_Guards(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	web := httptest.NewServer(w.server.Handler(func(r *http.Request) (mcp.Session, error) {
		of := mcp.Session{Workspace: w.ws.Key, Mode: knowledge.CallerMode(r.URL.Query().Get("mode"))}
		if r.Header.Get("Authorization") == "no" {
			return of, knowledge.Errorf(knowledge.CodeUnauthenticated, "a key is needed")
		}
		return of, nil
	}))
	t.Cleanup(web.Close)
	post := func(query, body string, edit func(*http.Request)) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+query, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if edit != nil {
			edit(r)
		}
		got, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer func() { _ = got.Body.Close() }()
		text, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		return got.StatusCode, string(text)
	}
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	status, body := post("", list, nil)
	assert.Equal(t, http.StatusOK, status, body)
	assert.Contains(t, body, "kg_search")
	status, _ = post("", list, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") })
	assert.Equal(t, http.StatusForbidden, status, "another origin")
	status, _ = post("", list, func(r *http.Request) { r.Host = "evil.example" })
	assert.Equal(t, http.StatusForbidden, status, "a rebound name")
	status, body = post("?mode=nonsense", list, nil)
	assert.Equal(t, http.StatusBadRequest, status)
	assert.JSONEq(t, `{"code":"INVALID_INPUT","field":"mode","message":"\"nonsense\" is not one of execute, plan, analyze, verify"}`, body)
	status, body = post("", list, func(r *http.Request) { r.Header.Set("Authorization", "no") })
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.Contains(t, body, "UNAUTHENTICATED")
	status, _ = post("", string(bytes.Repeat([]byte(" "), 5<<20))+list, nil)
	assert.Equal(t, http.StatusRequestEntityTooLarge, status, "U")
	for _, wrong := range []string{"", "{", "[]", "null", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`, `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{}}`} {
		status, body = post("", wrong, nil)
		assert.Less(t, status, 500, "%q", wrong)
		assert.NotContains(t, body, "panic", "%q", wrong)
	}
}
