package service_test

import (
	"context"
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
	workspaces *service.Workspaces
	types      *service.Types
	entities   *service.Entities
	edges      *service.Edges
	notes      *service.Observations
	navigation *service.Navigation

	ws    *knowledge.Workspace
	to    service.Target // a person's writes
	agent service.Target
	auto  service.Target
	clock *clock
}

// clock is a moment that tests move by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newID(prefix string) string { return prefix + "_" + strings.ToLower(ulid.Make().String()) }

type noContacts struct{}

func (noContacts) DropContact(context.Context, string, string) (int, int, error) { return 0, 0, nil }

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{store: neo4jtest.Open(t), clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}
	b.types = service.NewTypes(b.store, b.store, b.store, b.clock.Now, newID)
	audit := service.NewAudit(b.store, b.clock.Now, newID)
	b.workspaces = service.NewWorkspaces(service.WorkspacesConfig{
		Store: b.store, Contents: b.store, Types: b.types, Audit: audit, Clock: b.clock.Now, NewID: newID,
		Features: func(*knowledge.Workspace) []knowledge.Feature { return nil },
	})
	b.entities = service.NewEntities(service.EntitiesConfig{
		Store: b.store, Lists: b.store, Supports: b.store, Workspaces: b.store, Types: b.types, Tx: b.store, Contacts: noContacts{}, Clock: b.clock.Now, NewID: newID,
	})
	b.edges = service.NewEdges(service.EdgesConfig{
		Store: b.store, Lists: b.store, Supports: b.store, Entities: b.entities, Types: b.store, Workspaces: b.store, Observations: b.store,
		Tx: b.store, Clock: b.clock.Now, NewID: newID,
	})
	b.notes = service.NewObservations(service.ObservationsConfig{
		Store: b.store, Supports: b.store, Entities: b.entities, Workspaces: b.store, Tx: b.store, Clock: b.clock.Now, NewID: newID,
	})
	b.navigation = service.NewNavigation(b.store, b.entities, b.clock.Now)
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
