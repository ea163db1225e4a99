package service_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// TestR1_FiftyWritersInTwoWorkspaces alternates fifty writers of the same names between two
// workspaces: each ends with one entity, one edge and one observation, its own.
func TestR1_FiftyWritersInTwoWorkspaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	targets := []service.Target{b.to, {Workspace: b.workspace(t).Key, Caller: b.to.Caller}}
	failures := make(chan error, 50)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for turn := range 2 {
				to := targets[(i+turn)%2]
				result, err := b.all.Loading.Load(t.Context(), to, service.LoadRequest{
					Entities:     []knowledge.EntityDraft{{Type: "person", Name: "Ann"}, {Type: "project", Name: "Apollo"}},
					Edges:        []knowledge.EdgeDraft{{From: knowledge.EntityRef{Name: "Ann"}, To: knowledge.EntityRef{Name: "Apollo"}, Type: "works_on"}},
					Observations: []knowledge.ObservationDraft{{Entity: knowledge.EntityRef{Name: "ann"}, Text: "Joined the project"}},
				})
				if err == nil && len(result.Errors) > 0 {
					err = result.Errors[0].Err
				}
				if err != nil {
					failures <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(failures)
	for err := range failures {
		require.NoError(t, err, "no conflict and no deadlock reaches a caller")
	}
	seen := map[string]bool{}
	for _, to := range targets {
		ws, err := b.workspaces.Get(t.Context(), to.Workspace)
		require.NoError(t, err)
		sum, err := b.workspaces.Summary(t.Context(), ws, 0, knowledge.TimePoint{IncludeHistory: true})
		require.NoError(t, err)
		require.Equal(t, []int{2, 1, 1}, []int{sum.Entities, sum.Edges, sum.Observations})
		ann, err := b.entities.Find(t.Context(), ws.ID, knowledge.EntityRef{Name: "Ann"})
		require.NoError(t, err)
		require.False(t, seen[ann.ID], "R1 each workspace has its own")
		seen[ann.ID] = true
		require.InDelta(t, 1.0, ann.Confidence, 1e-9)
	}
}
