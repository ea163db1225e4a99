package service_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/ingest"
	"mneme/knowledge"
	"mneme/service"
)

// SPEC O18, T15: a job takes an export in too; what is in no export is imported line by
// line, and an export that is cut off fails the job.
func TestO18_ExportAsJob(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.story(t)
	one, x := b.exportJSON(t, b.ws.Key)
	jobs := service.New(service.Config{
		Store: b.store, Embeddings: service.EmbeddingsConfig{Model: plane()}, Features: func(*knowledge.Workspace) []knowledge.Feature { return b.features },
		Clock: b.clock.Now, NewID: newID, Lines: ingest.LineFiles{}, JobLease: time.Hour,
	}).Jobs
	run := func(name, text string) (*knowledge.Job, *knowledge.Workspace) {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		other := b.workspace(t)
		to := service.Target{Workspace: other.Key, Caller: b.to.Caller}
		j, err := jobs.Create(t.Context(), to, service.JobRequest{
			Kind: knowledge.JobBulkImport, Local: true, Input: map[string]any{service.InputPath: file, service.InputFormat: string(knowledge.ImportGraph)},
		})
		require.NoError(t, err)
		_, err = jobs.WorkOn(t.Context(), j.ID)
		require.NoError(t, err)
		j, err = jobs.Get(t.Context(), other.ID, j.ID)
		require.NoError(t, err)
		return j, other
	}
	all := len(x.Entities) + len(x.Edges) + len(x.Observations) + len(x.Entries) + len(x.Relations)
	j, other := run("export.json", one)
	assert.Equal(t, knowledge.JobSucceeded, j.State)
	assert.Equal(t, []int{all, all, all, 0}, []int{*j.Total, j.Scanned, j.Extracted, j.Errors})
	_, y := b.exportJSON(t, other.Key)
	assert.Len(t, y.Edges, len(x.Edges))

	j, _ = run("lines.jsonl", `{"type": "concept", "name": "A"}`+"\n"+`{"type": "concept", "name": "B"}`)
	assert.Equal(t, knowledge.JobSucceeded, j.State)
	assert.Equal(t, 2, j.Extracted)
	j, _ = run("cut.json", one[:len(one)/2])
	assert.Equal(t, knowledge.JobFailed, j.State)
	require.NotNil(t, j.LastError)
	assert.Contains(t, *j.LastError, "ends in the middle")
}
