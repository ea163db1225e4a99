package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/cypher"
	"mneme/knowledge"
	"mneme/localneo4j"
)

// Times of the soak test of maintenance.
const (
	soakPeriod  = 10 * time.Second
	soakRecover = 15 * time.Second
)

// soak are three servers on one Neo4j, each a process of its own.
type soak struct {
	binary  string
	env     []string
	servers [3]*exec.Cmd
	outages [][2]time.Time // in which a period may be missed
	runs    map[string]*knowledge.MaintenanceRun
	entries int
}

// TestSoakN13_Servers lets three servers maintain one workspace every ten seconds for
// MNEME_SOAK, while servers are killed and started and the database restarts: each task
// runs once a period, and what a run did is counted once. make soak runs it.
func TestSoakN13_Servers(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("MNEME_SOAK"))
	if err != nil {
		t.Skip("takes minutes: make soak runs it")
	}
	s := &soak{binary: filepath.Join(t.TempDir(), "mneme"), runs: map[string]*knowledge.MaintenanceRun{}, entries: 500}
	built, err := exec.CommandContext(t.Context(), "go", "build", "-o", s.binary, ".").CombinedOutput()
	require.NoError(t, err, string(built))
	cache, err := (&program{getenv: os.Getenv}).userCacheDir()
	require.NoError(t, err)
	if dir := os.Getenv("MNEME_CACHE_DIR"); dir != "" {
		cache = dir
	}
	database := localneo4j.Config{DataDir: t.TempDir(), CacheDir: cache, HeapMiB: 512, PageCacheMiB: 64, QuickStart: true}
	neo4j, err := localneo4j.Ensure(t.Context(), database)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, localneo4j.Stop(context.WithoutCancel(t.Context()), database)) })
	s.env = append(os.Environ(),
		"NEO4J_URI="+neo4j.URI, "NEO4J_USERNAME="+neo4j.Username, "NEO4J_PASSWORD="+neo4j.Password, "MNEME_DATA_DIR="+t.TempDir(), "MNEME_EMBEDDER=off", "LOG_LEVEL=error",
	)
	for _, task := range soakTasks() {
		s.env = append(s.env, scheduleSetting(task)+"=*/10 * * * * *")
	}
	store, ws := s.fill(t, neo4j)
	defer func() { assert.NoError(t, store.Close(context.WithoutCancel(t.Context()))) }()
	for i := range s.servers {
		s.start(t, i)
	}
	began := time.Now()
	s.disturb(t, store, ws, length, database)
	s.judge(t, began.Add(soakRecover), time.Now().Add(-soakRecover))
}

func soakTasks() []knowledge.MaintenanceTask {
	return []knowledge.MaintenanceTask{knowledge.TaskEntryDecay, knowledge.TaskExpiry, knowledge.TaskDedup, knowledge.TaskStaleGuesses, knowledge.TaskScopedExpansion}
}

func (s *soak) fill(t *testing.T, neo4j *localneo4j.Server) (*cypher.Store, *knowledge.Workspace) {
	t.Helper()
	store, err := cypher.Open(t.Context(), cypher.Config{URI: neo4j.URI, Username: neo4j.Username, Password: neo4j.Password})
	require.NoError(t, err)
	lines := make([]string, s.entries)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"type": "FACT", "title": "entry %d", "content": "content %d"}`, i, i)
	}
	command := exec.CommandContext(t.Context(), s.binary, "import", "entries", fileOf(t, lines...))
	command.Env = s.env
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	ws, err := store.Workspace(t.Context(), knowledge.DefaultWorkspace)
	require.NoError(t, err)
	return store, ws
}

func (s *soak) start(t *testing.T, i int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), s.binary, "serve", "--listen", "127.0.0.1:0")
	command.Env, command.Stderr = s.env, os.Stderr
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	require.NoError(t, command.Start())
	s.servers[i] = command
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may have ended
		_ = command.Wait()
	})
}

// disturb kills servers in turn, at moments that have nothing to do with the schedule, and
// restarts the database once in the middle.
func (s *soak) disturb(t *testing.T, store *cypher.Store, ws *knowledge.Workspace, length time.Duration, database localneo4j.Config) {
	t.Helper()
	end, look, kill, restart := time.After(length), time.NewTicker(3*time.Second), time.NewTicker(13*time.Second), time.After(length/2)
	defer look.Stop()
	defer kill.Stop()
	for n := 0; ; {
		select {
		case <-end:
			s.collect(t, store, ws)
			for _, server := range s.servers {
				require.NoError(t, server.Process.Signal(os.Interrupt))
			}
			for _, server := range s.servers {
				require.NoError(t, server.Wait(), "it stops cleanly")
			}
			return
		case <-look.C:
			s.collect(t, store, ws)
		case <-kill.C:
			require.NoError(t, s.servers[n%3].Process.Kill())
			_ = s.servers[n%3].Wait() // it was killed
			s.start(t, n%3)
			n++
		case <-restart:
			at := time.Now()
			require.NoError(t, localneo4j.Stop(t.Context(), database))
			_, err := localneo4j.Ensure(t.Context(), database)
			require.NoError(t, err)
			s.outages = append(s.outages, [2]time.Time{at, time.Now().Add(soakRecover)})
			t.Logf("the database was away for %s", time.Since(at).Round(time.Second))
		}
	}
}

func (s *soak) collect(t *testing.T, store *cypher.Store, ws *knowledge.Workspace) {
	t.Helper()
	runs, err := store.MaintenanceRuns(t.Context(), ws.ID, 200)
	require.NoError(t, err)
	for _, run := range runs {
		s.runs[run.ID] = run
	}
}

// judge compares what ran with the schedule between two moments.
func (s *soak) judge(t *testing.T, from, to time.Time) {
	t.Helper()
	holders := map[string]bool{}
	for _, task := range soakTasks() {
		done := map[time.Time]int{}
		for _, run := range s.runs {
			if run.Task != task || run.FinishedAt == nil || run.Error != nil {
				continue
			}
			done[*run.Slot]++
			holders[run.Holder] = true
			if task == knowledge.TaskEntryDecay {
				assert.Equal(t, s.entries, run.Count("processed"), "every entry once")
			}
		}
		missed, periods := 0, 0
		for slot := from.UTC().Truncate(soakPeriod).Add(soakPeriod); slot.Before(to); slot = slot.Add(soakPeriod) {
			periods++
			assert.LessOrEqual(t, done[slot], 1, "%s at %s", task, slot)
			if done[slot] == 0 {
				missed++
				excused := slices.ContainsFunc(s.outages, func(o [2]time.Time) bool { return !slot.Add(soakPeriod).Before(o[0]) && slot.Before(o[1]) })
				assert.True(t, excused, "%s at %s did not run", task, slot)
			}
		}
		t.Logf("%s: %d periods, %d of them missed while the database was away", task, periods, missed)
		assert.Less(t, missed, periods)
	}
	names := make([]string, 0, len(holders))
	for holder := range holders {
		names = append(names, holder)
	}
	t.Logf("%d servers ran something: %s", len(holders), strings.Join(names, ", "))
	assert.Greater(t, len(holders), 1)
}
