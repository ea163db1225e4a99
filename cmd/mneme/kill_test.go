package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/cypher"
	"mneme/internal/neo4jtest"
	"mneme/knowledge"
)

// asCommand makes this test program the command itself, for tests that kill it.
const asCommand = "MNEME_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(mainStatus())
	}
	os.Exit(m.Run())
}

// start runs a command as a process of its own.
func start(t *testing.T, env environment, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stderr = &bytes.Buffer{}
	require.NoError(t, cmd.Start())
	return cmd
}

// postbox writes a mailbox of made-up mails that answer each other.
func postbox(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "From w%d@acme.com Thu Jan  1 00:00:00 2026\nFrom: Writer %d <w%d@acme.com>\nTo: Reader %d <r%d@beta.io>\nMessage-ID: <m%d@acme.com>\n", i%7, i%7, i%7, i%5, i%5, i)
		if i%3 > 0 {
			fmt.Fprintf(&b, "In-Reply-To: <m%d@acme.com>\n", i-1)
		}
		fmt.Fprintf(&b, "Date: Thu, 1 Jan 2026 %02d:%02d:00 +0000\nSubject: Plan %d\n\nText number %d.\n\n", i/60%24, i%60, i/3, i)
	}
	path := filepath.Join(t.TempDir(), "box.mbox")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// imported is what an import left behind, told without ids.
func imported(t *testing.T, store *cypher.Store, key string) string {
	t.Helper()
	ws, err := store.Workspace(t.Context(), key)
	require.NoError(t, err)
	counts, err := store.WorkspaceCounts(t.Context(), ws.ID, time.Now().UTC())
	require.NoError(t, err)
	messages, err := store.Messages(t.Context(), ws.ID, "", nil, 10_000)
	require.NoError(t, err)
	threads := map[string]int{}
	for _, m := range messages {
		threads[m.ThreadID]++
	}
	found, err := store.EntitiesByName(t.Context(), ws.ID, knowledge.EntityRef{Name: "Writer 3"})
	require.NoError(t, err)
	require.Len(t, found, 1)
	jobs, err := store.Jobs(t.Context(), ws.ID, knowledge.JobMailImport, nil, 10)
	require.NoError(t, err)
	require.Len(t, jobs, 1)
	j := jobs[0]
	return fmt.Sprint(counts, len(messages), threads, found[0].Confidence, j.State, *j.Total, j.Scanned, j.Extracted, j.Skipped, j.Errors, j.Counts)
}

// killed imports a mailbox with commands that are killed, until one is left to finish, and
// compares the end with that of a command that nobody disturbed.
func killed(t *testing.T, mails, kills int, seed uint64) {
	t.Helper()
	env := testEnvironment(t)
	store := neo4jtest.Open(t)
	box := postbox(t, mails)
	undisturbed, key := freshKey(), freshKey()
	out := runMneme(t, env, "", "import", "mail", box, "--workspace", undisturbed)
	require.Equal(t, exitDone, out.status, out.stderr)

	random := rand.New(rand.NewPCG(seed, seed))
	for range kills {
		cmd := start(t, env, "import", "mail", box, "--workspace", key, "--resume")
		job := awaitProgress(t, store, cmd, key, time.Duration(random.IntN(300))*time.Millisecond)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // it says that it was killed
		if job == "" {
			continue
		}
		out = runMneme(t, env, "", "neo4j", "shell", "MATCH (j:Job {id: '"+job+"'}) REMOVE j.leaseUntil")
		require.Equal(t, exitDone, out.status, out.stderr)
	}
	out = runMneme(t, env, "", "import", "mail", box, "--workspace", key, "--resume")
	require.Equal(t, exitDone, out.status, out.stderr)
	assert.Equal(t, imported(t, store, undisturbed), imported(t, store, key), "seed %d", seed)
}

// awaitProgress waits until the command has taken something in since it was started, and a
// little longer, or has ended; it gives the job where it is open.
func awaitProgress(t *testing.T, store *cypher.Store, cmd *exec.Cmd, key string, longer time.Duration) string {
	t.Helper()
	begun := -1
	open := ""
	require.Eventually(t, func() bool {
		ws, err := store.Workspace(t.Context(), key)
		if err != nil {
			return false
		}
		jobs, err := store.Jobs(t.Context(), ws.ID, knowledge.JobMailImport, nil, 1)
		if err != nil || len(jobs) == 0 {
			return false
		}
		open = ""
		if !jobs[0].State.Final() {
			open = jobs[0].ID
		}
		if begun < 0 {
			begun = jobs[0].Scanned
		}
		return open == "" || jobs[0].Scanned > begun
	}, 2*time.Minute, 10*time.Millisecond, "%v: %s", cmd.Args, cmd.Stderr)
	timer := time.NewTimer(longer)
	defer timer.Stop()
	<-timer.C
	return open
}

func TestT15_KilledCommand(t *testing.T) {
	t.Parallel()
	killed(t, 400, 2, 7)
}

// TestSoakT15_KilledCommands kills a hundred; make soak runs it.
func TestSoakT15_KilledCommands(t *testing.T) {
	t.Parallel()
	if os.Getenv("MNEME_SOAK") == "" {
		t.Skip("takes minutes: make soak runs it")
	}
	killed(t, 12_000, 100, uint64(time.Now().UnixNano()))
}
