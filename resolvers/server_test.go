package resolvers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// newTestHandler serves the API on use cases that have no database: what reaches
// them fails, what is refused before does not.
func newTestHandler(t *testing.T, change func(*Config)) http.Handler {
	t.Helper()
	cfg := Config{
		Resolver: &Resolver{
			Workspaces: &service.Workspaces{}, Types: &service.Types{}, Entities: &service.Entities{},
			Edges: &service.Edges{}, Observations: &service.Observations{}, Entries: &service.Entries{},
			Recalls: &service.Recall{}, Navigation: &service.Navigation{}, Curation: &service.Curation{},
			Loading: &service.Loading{}, Intake: &service.Intake{}, Memory: &service.Memory{}, Messages: &service.Messages{}, Files: &service.Files{}, Jobs: &service.Jobs{}, Nodes: &service.Nodes{}, Clock: time.Now,
		},
		Log:           slog.New(slog.NewTextHandler(io.Discard, nil)),
		Introspection: true,
	}
	if change != nil {
		change(&cfg)
	}
	h, err := NewHandler(cfg)
	require.NoError(t, err)
	return h
}

// answer is what a request gave.
type answer struct {
	Status  int
	Header  http.Header
	Body    string
	Data    map[string]any
	Errors  []answerError
	HasData bool
}

type answerError struct {
	Message    string
	Path       []any
	Extensions map[string]any
}

func (a answer) code() string {
	if len(a.Errors) == 0 {
		return ""
	}
	code, _ := a.Errors[0].Extensions["code"].(string)
	return code
}

func (a answer) field() string {
	if len(a.Errors) == 0 {
		return ""
	}
	field, _ := a.Errors[0].Extensions["field"].(string)
	return field
}

func serve(t *testing.T, h http.Handler, r *http.Request) answer {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	a := answer{Status: w.Code, Header: w.Header(), Body: w.Body.String()}
	var body struct {
		Data   *map[string]any
		Errors []answerError
	}
	if w.Body.Len() > 0 {
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body), w.Body.String())
	}
	a.Errors = body.Errors
	if body.Data != nil {
		a.HasData, a.Data = true, *body.Data
	}
	return a
}

func post(t *testing.T, h http.Handler, query string, variables map[string]any) answer {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	require.NoError(t, err)
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	return serve(t, h, r)
}

// describing gives the handler a server field that does what the test wants.
func describing(do service.DescribeServer) func(*Config) {
	return func(c *Config) { c.Resolver.Describe = do }
}

func describe(context.Context) (*service.ServerInfo, error) {
	return &service.ServerInfo{Version: "1.2.3", Neo4j: service.Neo4jInfo{Version: "5.26.25", Edition: "community", Local: true}}, nil
}

func TestHandler_Server(t *testing.T) {
	t.Parallel()
	a := post(t, newTestHandler(t, describing(describe)), `{server{version neo4j{version edition local browserUrl} embedder{model} llm{model} features{name}}}`, nil)
	require.Empty(t, a.Errors, a.Body)
	require.JSONEq(t, `{"data":{"server":{"version":"1.2.3","neo4j":{"version":"5.26.25","edition":"community","local":true,"browserUrl":null},"embedder":null,"llm":null,"features":[]}}}`, a.Body)
}

func TestQueryCache_LeavesLongDocumentsOut(t *testing.T) {
	t.Parallel()
	cache := newQueryCache[int]()
	short, long := "{__typename}", "{__typename}"+strings.Repeat(" ", maxCachedQuery)
	cache.Add(t.Context(), short, 1)
	cache.Add(t.Context(), long, 2)
	value, ok := cache.Get(t.Context(), short)
	require.True(t, ok)
	require.Equal(t, 1, value)
	_, ok = cache.Get(t.Context(), long)
	require.False(t, ok)
}

func TestHandler_NeedsAResolver(t *testing.T) {
	t.Parallel()
	_, err := NewHandler(Config{})
	require.Error(t, err)
}

func TestHandler_Methods(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, describing(describe))
	get := func(query string) *http.Request {
		return httptest.NewRequest(http.MethodGet, "/graphql?"+query, nil)
	}
	a := serve(t, h, get("query="+url.QueryEscape(`query($x: Boolean!){server{version @include(if: $x)} __typename}`)+"&variables="+url.QueryEscape(`{"x":false}`)))
	require.Equal(t, http.StatusOK, a.Status, a.Body)
	require.Equal(t, "Query", a.Data["__typename"])

	a = serve(t, h, get("query="+url.QueryEscape(`mutation{deleteEntry(id: "x"){deleted}}`)))
	require.Equal(t, http.StatusMethodNotAllowed, a.Status, a.Body)
	require.Equal(t, "POST", a.Header.Get("Allow"))
	require.Equal(t, "INVALID_INPUT", a.code())

	a = serve(t, h, get("query=x&variables=7"))
	require.Equal(t, http.StatusBadRequest, a.Status, a.Body)
	require.Equal(t, "variables", a.field())

	a = serve(t, h, httptest.NewRequest(http.MethodOptions, "/graphql", nil))
	require.Equal(t, http.StatusNoContent, a.Status)
	require.Equal(t, "OPTIONS, GET, POST", a.Header.Get("Allow"))

	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPatch} {
		a = serve(t, h, httptest.NewRequest(method, "/graphql", nil))
		require.Equal(t, http.StatusMethodNotAllowed, a.Status)
	}
}

func TestHandler_Bodies(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, nil)
	for _, c := range []struct {
		name, contentType, body string
		status                  int
		code, field             string
	}{
		{"form", "application/x-www-form-urlencoded", "query={__typename}", http.StatusUnsupportedMediaType, "INVALID_INPUT", ""},
		{"no type", "", `{"query":"{__typename}"}`, http.StatusUnsupportedMediaType, "INVALID_INPUT", ""},
		{"other charset", "application/json; charset=latin1", `{"query":"{__typename}"}`, http.StatusUnsupportedMediaType, "INVALID_INPUT", ""},
		{"utf-8", "application/json; charset=UTF-8", `{"query":"{__typename}"}`, http.StatusOK, "", ""},
		{"not JSON", "application/json", `{"query`, http.StatusBadRequest, "INVALID_INPUT", ""},
		{"empty", "application/json", ``, http.StatusBadRequest, "INVALID_INPUT", ""},
		{"a batch", "application/json", `[{"query":"{__typename}"}]`, http.StatusBadRequest, "INVALID_INPUT", ""},
		{"two values", "application/json", `{"query":"{__typename}"}{}`, http.StatusBadRequest, "INVALID_INPUT", ""},
		{"no query", "application/json", `{}`, http.StatusBadRequest, "INVALID_INPUT", "query"},
		{"blank query", "application/json", `{"query":"  "}`, http.StatusBadRequest, "INVALID_INPUT", "query"},
		{"number as query", "application/json", `{"query":7}`, http.StatusBadRequest, "INVALID_INPUT", "query"},
		{"text as variables", "application/json", `{"query":"{__typename}","variables":"x"}`, http.StatusBadRequest, "INVALID_INPUT", "variables"},
		{"nulls", "application/json", `{"query":"{__typename}","variables":null,"operationName":null,"extensions":null}`, http.StatusOK, "", ""},
		{"10 MB", "application/json", `{"query":"{__typename}","variables":{"x":"` + strings.Repeat("x", 10<<20) + `"}}`, http.StatusRequestEntityTooLarge, "LIMIT_EXCEEDED", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(c.body))
			if c.contentType != "" {
				r.Header.Set("Content-Type", c.contentType)
			}
			a := serve(t, h, r)
			require.Equal(t, c.status, a.Status, a.Body)
			require.Equal(t, c.code, a.code(), a.Body)
			require.Equal(t, c.field, a.field(), a.Body)
			require.Equal(t, c.code == "", a.HasData)
		})
	}
}

func TestHandler_AnswersInTheTypeThatIsAskedFor(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, nil)
	for _, c := range []struct{ accept, want string }{
		{"", "application/json"},
		{"*/*", "application/json"},
		{"application/json", "application/json"},
		{"application/graphql-response+json", "application/graphql-response+json"},
		{"application/graphql-response+json, application/json;q=0.9", "application/graphql-response+json"},
		{"text/html", "application/json"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(`{"query":"{nope}"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", c.accept)
		a := serve(t, h, r)
		require.Equal(t, c.want+"; charset=utf-8", a.Header.Get("Content-Type"), c.accept)
		require.Equal(t, c.want == typeGraphQL, a.Status == http.StatusBadRequest, c.accept)
		require.NotContains(t, a.Body, `"data"`)
	}
}

func TestHandler_RequestErrors(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, nil)
	for _, query := range []string{
		`{`, `{nope}`, `{servr{version}}`, `{workspace(kye: "x"){id}}`, `query($x: Strin){__typename}`,
		`{workspace{entities(orderBy: {field: NAM, direction: ASC}){nodes{id}}}}`, `{workspace{entities(filter: {typs: []}){nodes{id}}}}`,
		`{workspace{... @defer {name}}}`, `query a{__typename} query b{__typename}`, `fragment f on Query{...f} {...f}`,
		`subscription{__typename}`, `{server}`, `{workspace}`,
	} {
		a := post(t, h, query, nil)
		require.Equal(t, "INVALID_INPUT", a.code(), "%s: %s", query, a.Body)
		require.False(t, a.HasData, a.Body)
		require.NotContains(t, strings.ToLower(a.Body), "did you mean", query)
		require.NotContains(t, a.Body, "path", query)
	}
	a := post(t, h, "{"+strings.Repeat("nope ", 900)+"}", nil)
	require.LessOrEqual(t, len(a.Errors), maxErrors)
}

func TestHandler_Introspection(t *testing.T) {
	t.Parallel()
	const query = `{__schema{queryType{name}}}`
	a := post(t, newTestHandler(t, nil), query, nil)
	require.Empty(t, a.Errors, a.Body)
	a = post(t, newTestHandler(t, func(c *Config) { c.Introspection = false }), query, nil)
	require.NotEmpty(t, a.Errors, a.Body)
	require.Nil(t, a.Data["__schema"])
}

// A body that does not arrive is not waited for longer than a request may take.
func TestHandler_SlowBodies(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(newTestHandler(t, func(c *Config) { c.Timeout = 50 * time.Millisecond }))
	t.Cleanup(srv.Close)
	body, writer := io.Pipe()
	t.Cleanup(func() { _ = writer.Close() })
	go func() { _, _ = writer.Write([]byte(`{"query":`)) }()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, body)
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	resp, err := srv.Client().Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	require.Equal(t, http.StatusRequestTimeout, resp.StatusCode)
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Contains(t, string(answer), "TIMEOUT")
}

// U: the shape of an operation is bounded before anything runs.
func TestU_ShapeLimits(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, describing(describe))
	fragments := func(n int) string {
		return "{...f" + strings.Repeat(" ...f", n-1) + "} fragment f on Query{" + strings.Repeat("__typename ", 10) + "}"
	}
	aliases := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d: __typename ", i)
		}
		return "{" + b.String() + "}"
	}
	for _, c := range []struct {
		name, query, code, says string
	}{
		{"U depth 15", deepQuery(15), "INTERNAL", ""},
		{"U depth 16", deepQuery(16), "LIMIT_EXCEEDED", "15"},
		{"U 1,000 fields", fragments(100), "", ""},
		{"U 1,001 fields", "{__typename ..." + strings.TrimPrefix(fragments(100), "{..."), "LIMIT_EXCEEDED", "1000"},
		{"U 50 aliases", aliases(50), "", ""},
		{"U 51 aliases", aliases(51), "LIMIT_EXCEEDED", "50"},
		{"U complexity", `{workspaces(first: 100){nodes{entities(first: 100){nodes{edges(first: 100){nodes{id}}}}}}}`, "LIMIT_EXCEEDED", "100000"},
		{"U complexity by variable", `query($n: Int! = 100){workspaces(first: $n){nodes{entities(first: $n){nodes{edges(first: $n){nodes{id}}}}}}}`, "LIMIT_EXCEEDED", "100000"},
		{"U complexity saturates", `{workspaces(first: 2147483647){nodes{entities(first: 2147483647){nodes{edges(first: 2147483647){nodes{id}}}}}}}`, "LIMIT_EXCEEDED", "100000"},
		{"U complexity of recall", `{workspaces(first: 100){nodes{recall(input: {query: "x", scope: {orgWide: true}, limit: 50}){hits{via{from{relations(first: 50){nodes{id}}}}}}}}}`, "LIMIT_EXCEEDED", "100000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := post(t, h, c.query, nil)
			require.Equal(t, c.code, a.code(), a.Body)
			require.Contains(t, a.Body, c.says)
		})
	}
}

// deepQuery nests fields to a depth.
func deepQuery(depth int) string {
	open := `{node(id: "x"){... on Entity{`
	closing := "}}}"
	for range (depth - 2) / 2 {
		open += `workspace{entity(ref: {id: "x"}){`
		closing += "}}"
	}
	if (depth-2)%2 == 1 {
		open += "type{"
		closing += "}"
	}
	return open + "id" + closing
}

// Work before the limits can be checked is bounded by the number of tokens.
func TestU_HugeDocumentsAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, nil)
	for _, query := range []string{
		"{" + strings.Repeat("workspace{id} ", 100_000) + "}",
		strings.Repeat("{workspace", 20_000),
		"{__typename " + strings.Repeat("@a", 100_000) + "}",
		"{workspace{" + strings.Repeat("id ", 14_000) + "}}",
	} {
		a := post(t, h, query, nil)
		require.NotEmpty(t, a.Errors)
		require.Less(t, len(a.Body), 10_000)
	}
}

// T26: one failure leaves its neighbours, and says where it was.
func TestT26_OneFailureLeavesTheOthers(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	h := newTestHandler(t, describing(func(ctx context.Context) (*service.ServerInfo, error) {
		if calls.Add(1) == 1 {
			return nil, knowledge.Errorf(knowledge.CodeUnavailable, "the database is away")
		}
		return describe(ctx)
	}))
	a := post(t, h, `{a: server{version} b: server{version} c: __typename}`, nil)
	require.Len(t, a.Errors, 1, a.Body)
	require.Equal(t, "UNAVAILABLE", a.code())
	require.Equal(t, "the database is away", a.Errors[0].Message)
	failed := a.Errors[0].Path[0].(string)
	require.Nil(t, a.Data[failed])
	require.Equal(t, "Query", a.Data["c"])
	other := map[string]string{"a": "b", "b": "a"}[failed]
	require.Equal(t, map[string]any{"version": "1.2.3"}, a.Data[other])
}

func TestHandler_Errors(t *testing.T) {
	t.Parallel()
	secret := errors.New("MATCH (n) at /home/secret")
	for _, c := range []struct {
		name string
		do   service.DescribeServer
		code string
		want string
	}{
		{"unknown error", func(context.Context) (*service.ServerInfo, error) { return nil, secret }, "INTERNAL", "internal error"},
		{"error of ours with a cause", func(context.Context) (*service.ServerInfo, error) {
			return nil, fmt.Errorf("describe: %w", knowledge.Invalid("top", "is too large").Because(secret))
		}, "INVALID_INPUT", "is too large"},
		{"internal error of ours", func(context.Context) (*service.ServerInfo, error) {
			return nil, knowledge.Errorf(knowledge.CodeInternal, "secret").Because(secret)
		}, "INTERNAL", "internal error"},
		{"panic", func(context.Context) (*service.ServerInfo, error) { panic(secret) }, "INTERNAL", "internal error"},
		{"timeout", func(ctx context.Context) (*service.ServerInfo, error) {
			<-ctx.Done()
			return nil, fmt.Errorf("describe: %w", ctx.Err())
		}, "TIMEOUT", "the request took longer than it may"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			h := newTestHandler(t, func(cfg *Config) {
				cfg.Resolver.Describe = c.do
				cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
				cfg.Timeout = 50 * time.Millisecond
			})
			a := post(t, h, `{server{version}}`, nil)
			require.Equal(t, c.code, a.code(), a.Body)
			require.Equal(t, c.want, a.Errors[0].Message)
			require.Equal(t, []any{"server"}, a.Errors[0].Path)
			require.NotContains(t, a.Body, "secret")
			if c.code == "INTERNAL" {
				id := a.Header.Get("X-Request-Id")
				require.NotEmpty(t, id)
				require.Equal(t, id, a.Errors[0].Extensions["requestId"])
				require.Contains(t, log.String(), id)
				require.Contains(t, log.String(), "secret")
				return
			}
			require.Empty(t, log.String())
		})
	}
}

func TestHandler_AmbiguousHasCandidates(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, describing(func(context.Context) (*service.ServerInfo, error) {
		return nil, &knowledge.Error{
			Code: knowledge.CodeAmbiguous, Field: "name", Message: "fits two",
			Candidates: []knowledge.Candidate{{ID: "ent_1", Name: "Ada", Type: "person"}},
		}
	}))
	a := post(t, h, `{server{version}}`, nil)
	require.Equal(t, "AMBIGUOUS", a.code())
	require.Equal(t, "name", a.field())
	require.Equal(t, []any{map[string]any{"id": "ent_1", "name": "Ada", "type": "person"}}, a.Errors[0].Extensions["candidates"])
}

func TestHandler_LoopbackOnly(t *testing.T) {
	t.Parallel()
	h := newTestHandler(t, func(c *Config) { c.LoopbackOnly = true })
	for host, allowed := range map[string]bool{
		"localhost": true, "localhost:8080": true, "127.0.0.1:8080": true, "127.9.9.9": true, "[::1]:8080": true, "[::1]": true,
		"evil.example": false, "evil.example:8080": false, "10.0.0.1:8080": false, "localhost.evil.example": false, "": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/graphql?query={__typename}", nil)
		r.Host = host
		a := serve(t, h, r)
		require.Equal(t, allowed, a.HasData, "%s: %s", host, a.Body)
		if !allowed {
			require.Equal(t, http.StatusForbidden, a.Status)
			require.Equal(t, "FORBIDDEN", a.code())
		}
	}
}

func TestHandler_CORSOnlyForConfiguredOrigins(t *testing.T) {
	t.Parallel()
	preflight := func(h http.Handler, origin string) string {
		r := httptest.NewRequest(http.MethodOptions, "/graphql", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
		r.Header.Set("Access-Control-Request-Headers", "content-type")
		return serve(t, h, r).Header.Get("Access-Control-Allow-Origin")
	}
	require.Empty(t, preflight(newTestHandler(t, nil), "https://app.example"))
	h := newTestHandler(t, func(c *Config) { c.CORSOrigins = []string{"https://app.example"} })
	require.Equal(t, "https://app.example", preflight(h, "https://app.example"))
	require.Empty(t, preflight(h, "https://evil.example"))
}
