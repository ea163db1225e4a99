package cypher_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/cypher"
	"mneme/internal/neo4jtest"
	"mneme/knowledge"
)

// Of servers that find no lock at all and claim it in the same instant, one gets it: each
// may have made a lock of its own.
func TestMigrate_OneClaims(t *testing.T) {
	t.Parallel()
	uri, user, password := neo4jtest.Connect(t)
	for range 5 {
		key := neo4jtest.Workspace(t)
		var claimed atomic.Int32
		var ready, done sync.WaitGroup
		start := make(chan struct{})
		for range 8 {
			store, err := cypher.Open(t.Context(), cypher.Config{URI: uri, Username: user, Password: password})
			require.NoError(t, err)
			t.Cleanup(func() { _ = store.Close(context.Background()) })
			ready.Add(1)
			done.Go(func() {
				ready.Done()
				<-start
				ok, err := store.ClaimMigration(t.Context(), key, neo4jtest.Workspace(t))
				if assert.NoError(t, err) && ok {
					claimed.Add(1)
				}
			})
		}
		ready.Wait()
		close(start)
		done.Wait()
		require.Equal(t, int32(1), claimed.Load())
	}
}

// Two locks of one key, as an earlier race may have left them, are claimed as one.
func TestMigrate_LocksOfARace(t *testing.T) {
	t.Parallel()
	store, key := neo4jtest.Open(t), neo4jtest.Workspace(t)
	_, _, err := store.Run(t.Context(), "UNWIND range(1, 2) AS i CREATE (:MigrationLock {key: $key})", map[string]any{"key": key})
	require.NoError(t, err)
	for _, step := range []struct {
		owner string
		want  bool
	}{{"one", true}, {"other", false}, {"one", true}} {
		ok, err := store.ClaimMigration(t.Context(), key, step.owner)
		require.NoError(t, err)
		require.Equal(t, step.want, ok, step.owner)
	}
}

// What a store is asked for while it shuts down is UNAVAILABLE, not a fault.
func TestClosedStore(t *testing.T) {
	t.Parallel()
	uri, user, password := neo4jtest.Connect(t)
	store, err := cypher.Open(t.Context(), cypher.Config{URI: uri, Username: user, Password: password})
	require.NoError(t, err)
	require.NoError(t, store.Close(t.Context()))
	_, err = store.CountWorkspaces(t.Context())
	require.Equal(t, knowledge.CodeUnavailable, knowledge.CodeOf(err))
}

// Whoever is interrupted while it migrates does not keep the others waiting.
func TestMigrate_ReleasedWhenInterrupted(t *testing.T) {
	t.Parallel()
	store, key := neo4jtest.Open(t), neo4jtest.Workspace(t)
	ok, err := store.ClaimMigration(t.Context(), key, "first")
	require.NoError(t, err)
	require.True(t, ok)
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, store.ReleaseMigration(interrupted, key, "first"))
	ok, err = store.ClaimMigration(t.Context(), key, "second")
	require.NoError(t, err)
	require.True(t, ok)
}
