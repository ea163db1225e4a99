package resolvers

import (
	"context"
	"iter"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"mneme/codegraph"
	"mneme/cypher"
	"mneme/internal/neo4jtest"
	"mneme/knowledge"
	"mneme/service"
)

// api is the whole API on the real database, with a workspace of its own.
type api struct {
	store   *cypher.Store
	handler http.Handler
	wide    http.Handler // the same for whole workspaces, without limits
	key     string       // of the workspace
}

func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

func newID(prefix string) string { return prefix + "_" + strings.ToLower(ulid.Make().String()) }

// newAPI serves the API on the shared test database.
func newAPI(t *testing.T) *api {
	t.Helper()
	return apiOn(t, neo4jtest.Open(t), 0)
}

func apiOn(t *testing.T, store *cypher.Store, gather time.Duration) *api {
	t.Helper()
	cfg := Config{
		Resolver: wire(store), Log: slog.New(slog.DiscardHandler), gather: gather,
	}
	a := &api{store: store}
	var err error
	a.handler, err = NewHandler(cfg)
	require.NoError(t, err)
	cfg.MaxComplexity, cfg.MaxFields, cfg.MaxDepth, cfg.MaxAliases = math.MaxInt, 10_000, 50, 1_000
	a.wide, err = NewHandler(cfg)
	require.NoError(t, err)
	a.key = a.workspace(t)
	return a
}

// wire builds all use cases, without an embedder.
func wire(store *cypher.Store) *Resolver {
	return NewResolver(service.New(service.Config{
		Store: store, Clock: now, NewID: newID, Mail: noMail{}, ResolvePath: func(path string) (string, error) { return path, nil },
		ScanCode: scanCode, ResolveCode: func(path string) (string, error) { return path, nil },
		Features: func(ws *knowledge.Workspace) []knowledge.Feature {
			if ws == nil {
				return knowledge.EffectiveFeatures(knowledge.Deployment{}, nil)
			}
			return knowledge.EffectiveFeatures(knowledge.Deployment{}, ws.Switches)
		},
	}), describe, now)
}

func scanCode(ctx context.Context, r service.CodeScanRequest) (service.CodeScan, error) {
	return codegraph.NewScan(ctx, r.Folder, codegraph.Options{Repository: r.Repository})
}

// noMail is a mailbox without mail: jobs that import it are made, not worked on.
type noMail struct{}

func (noMail) CountMails(context.Context, string) (int, error) { return 0, nil }

func (noMail) Mails(context.Context, string) iter.Seq[knowledge.MailItem] {
	return func(func(knowledge.MailItem) bool) {}
}

// statements remembers which statements a store sends.
type statements struct {
	mu    sync.Mutex
	names []string
}

func (s *statements) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = append(s.names, name)
}

// take gives the statements since it was last called, sorted.
func (s *statements) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := s.names
	s.names = nil
	slices.Sort(names)
	return names
}

// newCountedAPI serves the API on a connection of its own whose statements are counted.
func newCountedAPI(t *testing.T) (*api, *statements) {
	t.Helper()
	neo4jtest.Open(t) // migrates
	uri, user, password := neo4jtest.Connect(t)
	var sent statements
	store, err := cypher.Open(t.Context(), cypher.Config{URI: uri, Username: user, Password: password, OnStatement: sent.add})
	require.NoError(t, err)
	t.Cleanup(func() { _ = store.Close(context.WithoutCancel(t.Context())) })
	a := apiOn(t, store, 50*time.Millisecond) // on a busy machine too, a list's loads are one batch
	sent.take()
	return a, &sent
}

// workspace makes a workspace and gives its key.
func (a *api) workspace(t *testing.T) string {
	t.Helper()
	key := newID("t")
	a.do(t, `mutation($key: String!){createWorkspace(input: {key: $key}){workspace{id}}}`, map[string]any{"key": key})
	return key
}

// do runs an operation that must not fail; $w is the workspace's key where the operation asks for it.
func (a *api) do(t *testing.T, query string, variables map[string]any) map[string]any {
	t.Helper()
	got := a.try(t, query, variables)
	require.Empty(t, got.Errors, "%s: %s", query, got.Body)
	return got.Data
}

// try runs an operation.
func (a *api) try(t *testing.T, query string, variables map[string]any) answer {
	t.Helper()
	all := map[string]any{"w": a.key}
	for name, value := range variables {
		all[name] = value
	}
	return post(t, a.handler, query, all)
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

func (a *api) entity(t *testing.T, name string) string {
	t.Helper()
	d := a.do(t, `mutation($w: String!, $n: String!){upsertEntity(workspace: $w, input: {type: "person", name: $n}){entity{id}}}`, map[string]any{"n": name})
	return at(t, d, "upsertEntity", "entity", "id").(string)
}

func (a *api) edge(t *testing.T, from, to, typ string) string {
	t.Helper()
	d := a.do(t, `mutation($w: String!, $i: CreateEdgeInput!){createEdge(workspace: $w, input: $i){edge{id}}}`,
		map[string]any{"i": map[string]any{"from": map[string]any{"id": from}, "to": map[string]any{"id": to}, "type": typ}})
	return at(t, d, "createEdge", "edge", "id").(string)
}

func (a *api) observation(t *testing.T, of, text string) string {
	t.Helper()
	d := a.do(t, `mutation($w: String!, $i: AddObservationInput!){addObservation(workspace: $w, input: $i){observation{id}}}`,
		map[string]any{"i": map[string]any{"entity": map[string]any{"id": of}, "text": text, "docId": "doc-1"}})
	return at(t, d, "addObservation", "observation", "id").(string)
}

func (a *api) entry(t *testing.T, title, contact string) string {
	t.Helper()
	d := a.do(t, `mutation($w: String!, $i: CreateEntryInput!){createEntry(workspace: $w, input: $i){entry{id}}}`,
		map[string]any{"i": map[string]any{"title": title, "content": title + " in full", "contacts": []any{map[string]any{"id": contact}}}})
	return at(t, d, "createEntry", "entry", "id").(string)
}

func (a *api) relation(t *testing.T, from, to, typ string) string {
	t.Helper()
	d := a.do(t, `mutation($w: String!, $i: CreateRelationInput!){createRelation(workspace: $w, input: $i){relation{id}}}`,
		map[string]any{"i": map[string]any{"from": map[string]any{"id": from}, "to": map[string]any{"id": to}, "type": typ}})
	return at(t, d, "createRelation", "relation", "id").(string)
}
