package service_test

import (
	"context"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/neo4jtest"
	"mneme/knowledge"
)

// SPEC O24: a writer waits for another, but not for ever: it gives up with CONFLICT and
// has written nothing.
func TestO24_WritersGiveUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	wait, err := b.store.LockTimeout(t.Context())
	require.NoError(t, err)
	require.NotZero(t, wait, "the local Neo4j has a limit")
	ref := b.concept(t, "contended")
	uri, user, password := neo4jtest.Connect(t)
	driver, err := neo4j.NewDriverWithContext(uri, neo4j.BasicAuth(user, password, ""))
	require.NoError(t, err)
	defer func() { assert.NoError(t, driver.Close(context.WithoutCancel(t.Context()))) }()
	session := driver.NewSession(t.Context(), neo4j.SessionConfig{})
	defer func() { assert.NoError(t, session.Close(context.WithoutCancel(t.Context()))) }()
	other, err := session.BeginTransaction(t.Context())
	require.NoError(t, err)
	result, err := other.Run(t.Context(), "MATCH (e:Entity {id: $id}) SET e.locked = true", map[string]any{"id": ref.ID})
	require.NoError(t, err)
	_, err = result.Consume(t.Context())
	require.NoError(t, err)

	patch := knowledge.EntityPatch{ID: ref.ID, Description: ptr("mine")}
	_, err = b.entities.Update(t.Context(), b.to, patch)
	assert.Equal(t, knowledge.CodeConflict, knowledge.CodeOf(err), "%v", err)

	require.NoError(t, other.Rollback(t.Context()))
	_, err = b.entities.Update(t.Context(), b.to, patch)
	assert.NoError(t, err)
}

// SPEC O24: a batch of graph writes is all or nothing.
func TestO24_AllOrNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, c := b.concept(t, "a"), b.concept(t, "c")
	out, err := b.edges.AssertMany(t.Context(), b.to, []knowledge.EdgeDraft{
		{From: a, To: c, Type: "uses"}, {From: a, To: a, Type: "uses"},
	}, true)
	require.NoError(t, err)
	require.Error(t, out[1].Err)
	_, x := b.exportJSON(t, b.ws.Key)
	assert.Empty(t, x.Edges)
}
