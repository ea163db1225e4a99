package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/bench"
	"mneme/knowledge"
)

type printedRun struct {
	Task     string         `json:"task"`
	Outcome  string         `json:"outcome"`
	Counts   map[string]int `json:"counts"`
	Examples []string       `json:"examples"`
}

// N13: the command runs a task, says what it would do, and shows the last runs; a server
// tells of its runs in its metrics.
func TestMaintainCommand(t *testing.T) {
	t.Parallel()
	env := testEnvironment(t)
	key := freshKey()
	require.Equal(t, exitDone, runMneme(t, env, "", "workspace", "create", key).status)
	file := fileOf(t, `{"type": "FACT", "title": "gone", "content": "has expired", "expiresInDays": 1e-9}`, `{"type": "FACT", "title": "stays", "content": "stays"}`)
	imported := runMneme(t, env, "", "import", "entries", file, "--workspace", key)
	require.Equal(t, exitDone, imported.status, imported.stderr)

	got := runMneme(t, env, "", "maintain", "EXPIRY", "--workspace", key, "--dry-run", "--json")
	require.Equal(t, exitDone, got.status, got.stderr)
	dry := fromJSON[printedRun](t, got.stdout)
	assert.Equal(t, "DRY_RUN", dry.Outcome)
	assert.Equal(t, 1, dry.Counts["expired"])
	assert.Equal(t, []string{`"gone" has expired and goes`}, dry.Examples)
	got = runMneme(t, env, "", "maintain", "expiry", "--workspace", key, "--dry-run")
	assert.Contains(t, got.stdout, "EXPIRY would change:")
	assert.Contains(t, got.stdout, `e.g. "gone"`)

	got = runMneme(t, env, "", "maintain", "EXPIRY", "--workspace", key)
	require.Equal(t, exitDone, got.status, got.stderr)
	assert.Contains(t, got.stdout, "expired 1")
	got = runMneme(t, env, "", "maintain", "ENTITY_DECAY", "--workspace", key)
	assert.Contains(t, got.stdout, "ENTITY_DECAY is done")
	got = runMneme(t, env, "", "maintain", "ENTITY_DECAY", "--workspace", key)
	assert.Contains(t, got.stdout, "less than 24 hours ago")

	got = runMneme(t, env, "", "maintain", "--workspace", key, "--json")
	runs := fromJSON[struct {
		Runs []printedRun `json:"runs"`
	}](t, got.stdout).Runs
	require.Len(t, runs, 2, "what did not run, or was only tried, is not recorded")
	assert.Equal(t, []string{"ENTITY_DECAY", "EXPIRY"}, []string{runs[0].Task, runs[1].Task})
	got = runMneme(t, env, "", "maintain", "--workspace", key)
	assert.Contains(t, got.stdout, "expired 1")

	assert.Equal(t, exitInput, runMneme(t, env, "", "maintain", "NOTHING").status)
	assert.Equal(t, exitInput, runMneme(t, env, "", "maintain", "DEDUP", "--undo", "--workspace", key).status)

	s := startServer(t, env)
	status, body := s.get(t, http.MethodPost, "/graphql", `{"query":"mutation { runMaintenance(workspace: \"`+key+`\", input: {task: EXPIRY, force: true}) { outcome counts { key count } } }"}`)
	require.Equal(t, http.StatusOK, status, body)
	assert.Contains(t, body, `"RAN"`)
	status, body = s.get(t, http.MethodGet, "/metrics", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, `mneme_maintenance_runs_total{end="done",task="EXPIRY"} 1`)
	for line := range strings.Lines(body) {
		assert.True(t, strings.HasPrefix(line, "#") || strings.HasPrefix(line, metricsPrefix), line)
	}
}

func TestMaintenanceSettings(t *testing.T) {
	t.Parallel()
	read := func(set map[string]string) (maintenancePlan, error) {
		return readMaintenance(func(name string) string {
			if v, ok := set[name]; ok {
				return v
			}
			return map[string]string{"MNEME_MAINTENANCE": "on"}[name]
		})
	}
	plan, err := read(map[string]string{"MNEME_MAINTENANCE": "off", "MNEME_MAINTENANCE_DEDUP": "off", "MNEME_MAINTENANCE_ENTRY_DECAY": "*/5 * * * * *"})
	require.NoError(t, err)
	assert.True(t, plan.Off)
	schedules := map[knowledge.MaintenanceTask]string{}
	for _, task := range plan.Tasks {
		schedules[task.Name] = task.Schedule
	}
	assert.Equal(t, "off", schedules[knowledge.TaskDedup])
	assert.Equal(t, "*/5 * * * * *", schedules[knowledge.TaskEntryDecay])
	assert.Equal(t, "0 5 * * *", schedules[knowledge.TaskScopedExpansion])
	assert.Len(t, schedules, len(knowledge.MaintenanceTasks()))
	for _, wrong := range []map[string]string{{"MNEME_MAINTENANCE": "sometimes"}, {"MNEME_MAINTENANCE_EXPIRY": "often"}, {"MNEME_MAINTENANCE_EXPIRY": "@every 5s"}} {
		_, err := read(wrong)
		assert.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err), wrong)
	}
}

func TestBenchUpkeep(t *testing.T) {
	t.Parallel()
	env := testEnvironment(t)
	out := runMneme(t, env, "", "bench", "upkeep", "--entries", "1000", "--samples", "3", "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	result := fromJSON[bench.UpkeepResult](t, out.stdout)
	require.Len(t, result.Sizes, 2)
	whole := result.Sizes[1].Maintenance
	require.Len(t, whole, 3)
	assert.Equal(t, 50, whole[0].Counts["expired"])
	assert.Equal(t, 950, whole[1].Counts["decayed"])
	assert.Positive(t, whole[2].Counts["merged"])
	assert.Equal(t, exitInput, runMneme(t, env, "", "bench", "upkeep", "--entries", "3").status)
}
