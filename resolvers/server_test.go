package resolvers

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
			Loading: &service.Loading{}, Nodes: &service.Nodes{}, Clock: time.Now,
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

func TestHandler_AnswersTypename(t *testing.T) {
	t.Parallel()
	a := post(t, newTestHandler(t, nil), `{__typename}`, nil)
	require.Equal(t, map[string]any{"__typename": "Query"}, a.Data, a.Body)
}
