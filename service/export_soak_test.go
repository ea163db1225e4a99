package service_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// SPEC O18: a round trip of many batches: 2,500 entities, with MNEME_SOAK 100,000.
func TestSoakO18_LargeRoundTrip(t *testing.T) {
	t.Parallel()
	entities := 2_500
	if os.Getenv("MNEME_SOAK") != "" {
		entities = 100_000
	}
	b := setup(t)
	var ids []string
	for len(ids) < entities {
		drafts := make([]knowledge.EntityDraft, 0, 500)
		for range min(500, entities-len(ids)) {
			drafts = append(drafts, knowledge.EntityDraft{Type: "service", Name: fmt.Sprintf("service %d \"q\"\n🚀", len(ids)+len(drafts))})
		}
		out, err := b.entities.UpsertMany(t.Context(), b.to, drafts, true)
		require.NoError(t, err)
		for _, o := range out {
			ids = append(ids, o.Value.Entity.ID)
		}
	}
	for first := 0; first < len(ids); first += 500 {
		var drafts []knowledge.EdgeDraft
		for i := first; i < min(first+500, len(ids)); i++ {
			drafts = append(drafts, knowledge.EdgeDraft{From: knowledge.EntityRef{ID: ids[i]}, To: knowledge.EntityRef{ID: ids[(i*7+1)%len(ids)]}, Type: "uses"})
		}
		_, err := b.edges.AssertMany(t.Context(), b.to, drafts, false)
		require.NoError(t, err)
	}
	one, x := b.exportJSON(t, b.ws.Key)
	require.Len(t, x.Entities, entities)
	_, err := b.workspaces.Clear(t.Context(), b.to, service.ClearRequest{Confirm: b.ws.Key})
	require.NoError(t, err)
	_, err = b.workspaces.Create(t.Context(), b.to.Caller, b.ws.Key, "")
	require.NoError(t, err)
	b.importJSON(t, b.ws.Key, one)
	two, _ := b.exportJSON(t, b.ws.Key)
	assert.True(t, one == two, "the exports differ") //nolint:testifylint // a diff of megabytes helps nobody
}
