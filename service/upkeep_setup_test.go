package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// server is a server's upkeep of a bundle's database.
func (b *bundle) server(edit ...func(*service.Config)) *service.Services {
	c := service.Config{
		Store: b.store, Embeddings: service.EmbeddingsConfig{Model: plane()},
		Features: func(*knowledge.Workspace) []knowledge.Feature { return b.features },
		Clock:    b.clock.Now, NewID: newID,
	}
	for _, e := range edit {
		e(&c)
	}
	return service.New(c)
}

// inBatches makes the steps of a run small.
func inBatches(n int) func(*service.Config) {
	return func(c *service.Config) { c.Upkeep.Batch = n }
}

func (b *bundle) maintain(t *testing.T, call service.MaintenanceCall) *knowledge.MaintenanceRun {
	t.Helper()
	return b.maintainBy(t, b.all, call)
}

func (b *bundle) maintainBy(t *testing.T, s *service.Services, call service.MaintenanceCall) *knowledge.MaintenanceRun {
	t.Helper()
	run, err := s.Upkeep.Run(t.Context(), b.to, call)
	require.NoError(t, err)
	return run
}

func forced(task knowledge.MaintenanceTask) service.MaintenanceCall {
	return service.MaintenanceCall{Task: task, Force: true}
}

func (b *bundle) days(n float64) { b.clock.advance(time.Duration(n * 24 * float64(time.Hour))) }

// interruptedAt ends runs before their n-th step, counted from 0, as the end of a server would.
func interruptedAt(n int) func(*service.Config) {
	steps := 0
	return func(c *service.Config) {
		c.Upkeep.BetweenSteps = func(context.Context, *knowledge.MaintenanceRun) error {
			if steps++; steps > n {
				return context.Canceled
			}
			return nil
		}
	}
}

// cypher runs a text on the test database as it is.
func (b *bundle) cypher(t *testing.T, text string, params map[string]any) []*neo4j.Record {
	t.Helper()
	result, err := neo4j.ExecuteQuery(t.Context(), rawDriver(t), text, params, neo4j.EagerResultTransformer)
	require.NoError(t, err)
	return result.Records
}
