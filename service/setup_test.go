package service_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"mneme/cypher"
	"mneme/internal/neo4jtest"
	"mneme/knowledge"
	"mneme/service"
)

// bundle is what a test works with: all use cases on the real database, a workspace of
// its own, and a clock that the test moves.
type bundle struct {
	store      *cypher.Store
	all        *service.Services
	features   []knowledge.Feature // in effect in every workspace
	workspaces *service.Workspaces
	types      *service.Types
	entities   *service.Entities
	edges      *service.Edges
	notes      *service.Observations
	navigation *service.Navigation
	memory     *service.Memory
	intake     *service.Intake

	ws    *knowledge.Workspace
	to    service.Target // a person's writes
	agent service.Target
	auto  service.Target
	clock *clock
}

// clock is a moment that tests move by hand.
type clock struct {
	mu   sync.Mutex
	now  time.Time
	step time.Duration // by which every look at it moves it
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(c.step)
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newID(prefix string) string { return prefix + "_" + strings.ToLower(ulid.Make().String()) }

func setup(t *testing.T) *bundle {
	t.Helper()
	return setupWith(t, nil)
}

// setupWith is setup with an embedder; nil is none.
func setupWith(t *testing.T, embedder service.Embedder) *bundle {
	t.Helper()
	b := &bundle{
		store: neo4jtest.Open(t), clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)},
		features: knowledge.EffectiveFeatures(knowledge.Deployment{}, nil),
	}
	b.all = service.New(service.Config{
		Store: b.store, Embeddings: service.EmbeddingsConfig{Embedder: embedder, Model: plane()},
		Features: func(*knowledge.Workspace) []knowledge.Feature { return b.features },
		Clock:    b.clock.Now, NewID: newID,
	})
	b.workspaces, b.types, b.entities, b.edges = b.all.Workspaces, b.all.Types, b.all.Entities, b.all.Edges
	b.notes, b.navigation, b.memory, b.intake = b.all.Observations, b.all.Navigation, b.all.Memory, b.all.Intake
	b.ws = b.workspace(t)
	b.to = service.Target{Workspace: b.ws.Key, Caller: knowledge.Caller{Name: "test", Actor: knowledge.ActorManual}}
	b.agent, b.auto = b.to, b.to
	b.agent.Caller.Actor, b.auto.Caller.Actor = knowledge.ActorAgent, knowledge.ActorAuto
	return b
}

func (b *bundle) workspace(t *testing.T) *knowledge.Workspace {
	t.Helper()
	ws, err := b.workspaces.Create(t.Context(), knowledge.Caller{Actor: knowledge.ActorManual}, newID("t"), "")
	require.NoError(t, err)
	return ws
}

func ptr[T any](v T) *T { return &v }
