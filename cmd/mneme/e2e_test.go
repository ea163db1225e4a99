package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/bench"
	"mneme/internal/neo4jtest"
)

// testEnvironment is an environment with the test database and folders of its own. The
// embedder is off: what it does is proven where it is, and loading it takes a while.
func testEnvironment(t *testing.T) environment {
	t.Helper()
	neo4jtest.Open(t) // migrates it once for all tests
	uri, user, password := neo4jtest.Connect(t)
	return environment{
		"NEO4J_URI": uri, "NEO4J_USERNAME": user, "NEO4J_PASSWORD": password,
		"MNEME_DATA_DIR": t.TempDir(), "MNEME_CACHE_DIR": t.TempDir(), "MNEME_EMBEDDER": "off",
		"MNEME_MAINTENANCE": "off", // the database is shared with other tests
	}
}

// freshKey is the key of a workspace that no other test uses.
func freshKey() string { return "cli-" + strings.ToLower(ulid.Make().String()) }

func fileOf(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lines.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
	return path
}

func fromJSON[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal([]byte(text), &v), text)
	return v
}

func TestWorkspaceCommands(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	listed := func() []string {
		out := runMneme(t, env, "", "workspace", "list", "--json")
		require.Equal(t, exitDone, out.status, out.stderr)
		var keys []string
		for _, w := range fromJSON[struct{ Workspaces []workspaceRow }](t, out.stdout).Workspaces {
			keys = append(keys, w.Key)
		}
		return keys
	}
	assert.Contains(t, listed(), "default", "it exists from the start")

	out := runMneme(t, env, "", "workspace", "create", key, "--name", "A test")
	require.Equal(t, exitDone, out.status, out.stderr)
	assert.Contains(t, listed(), key)
	out = runMneme(t, env, "", "workspace", "create", key)
	assert.Equal(t, exitInput, out.status)
	assert.Contains(t, out.stderr, "CONFLICT")

	out = runMneme(t, env, "", "workspace", "delete", key, "--dry-run")
	assert.Equal(t, exitDone, out.status, out.stderr)
	assert.Contains(t, out.stdout, "Would remove")
	out = runMneme(t, env, "", "workspace", "clear", key, "--confirm", key)
	assert.Equal(t, exitDone, out.status, out.stderr)
	assert.Contains(t, listed(), key)
	out = runMneme(t, env, "", "workspace", "delete", key, "--confirm", key)
	assert.Equal(t, exitDone, out.status, out.stderr)
	assert.NotContains(t, listed(), key)
	out = runMneme(t, env, "", "workspace", "delete", key, "--confirm", key)
	assert.Equal(t, exitInput, out.status)
	assert.Contains(t, out.stderr, "NOT_FOUND")
}

func TestImportChat(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	file := fileOf(t,
		`{"conversation": 1, "session": 1, "id": "t1", "speaker": "Zoë", "sentAt": "2024-05-01T10:00:00Z", "text": "My sister moved to Lisbon."}`,
		`{"conversation": 1, "session": 1, "id": "t2", "speaker": "Bo", "sentAt": "2024-05-01T10:00:00Z", "text": "Thanks!", "caption": ""}`,
		`{"conversation": 1, "session": 1, "id": "t3", "speaker": "Bo", "sentAt": "2024-05-01T10:00:00Z", "text": "Thanks!"}`,
		`{"conversation": 1, "session": 1, "id": "t4", "speaker": "Bo", "sentAt": "yesterday", "text": "x"}`,
		`nonsense`,
		`{"conversation": 1, "session": 2, "id": "t5", "speaker": "Zoë", "text": "Look", "caption": "a tram on a steep street"}`,
	)
	out := runMneme(t, env, "", "import", "chat", file, "--workspace", key, "--json")
	assert.Equal(t, exitPartly, out.status, out.stderr)
	first := fromJSON[importReport](t, out.stdout)
	assert.Equal(t, []int{6, 4, 0, 2}, []int{first.Read, first.Created, first.Matched, first.Failed}, "each turn is an entry of its own")
	assert.Contains(t, out.stderr, "created the workspace "+key)
	assert.Contains(t, out.stderr, "line 4: sentAt: ")
	assert.Contains(t, out.stderr, "line 5: ")

	out = runMneme(t, env, "", "import", "chat", file, "--workspace", key, "--json")
	again := fromJSON[importReport](t, out.stdout)
	assert.Equal(t, []int{6, 0, 4, 2}, []int{again.Read, again.Created, again.Matched, again.Failed}, "a second import imports none")

	out = runMneme(t, env, "", "recall", "Who moved to Lisbon?", "--workspace", key, "--general", "--json", "--limit", "1", "--explain")
	require.Equal(t, exitDone, out.status, out.stderr)
	found := fromJSON[recallOutput](t, out.stdout)
	require.Len(t, found.Hits, 1)
	entry := found.Hits[0].Entry
	assert.Equal(t, "t1", *entry.SourceID)
	assert.Equal(t, "1/1", *entry.ThreadID)
	assert.Equal(t, "CHAT", entry.Source)
	assert.Equal(t, "Zoë, 1 May 2024 10:00", entry.Title)
	assert.NotEmpty(t, found.Degraded, "L2: without the embedder recall says so")

	// Speakers are mentioned, never contacts (or nothing would be general above).
	out = runMneme(t, env, "", "recall", "tram on a steep street", "--workspace", key, "--contact", "Zoë")
	require.Equal(t, exitDone, out.status, out.stderr)
	assert.Contains(t, out.stdout, "Picture: a tram on a steep street")
	assert.Contains(t, out.stdout, "(t5)")
}

func TestImport_Resume(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	file := fileOf(t, `{"title": "a", "content": "one"}`, `{"title": "b", "content": "two"}`, `{"title": "c", "content": "three"}`)
	p := &program{getenv: env.get}
	cfg, err := p.loadConfig()
	require.NoError(t, err)
	job := &importJob{program: p, app: &App{Config: cfg}, format: importFormats()[0], workspace: key}
	info, err := os.Stat(file)
	require.NoError(t, err)
	job.mark(file, info.Size()).save(2) // as an import leaves it that was cut off after line 2

	out := runMneme(t, env, "", "import", "entries", file, "--workspace", key, "--resume", "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	report := fromJSON[importReport](t, out.stdout)
	assert.Equal(t, []int{1, 1, 2}, []int{report.Read, report.Created, report.Skipped})
	assert.Contains(t, out.stderr, "after line 2")

	out = runMneme(t, env, "", "import", "entries", file, "--workspace", key, "--resume", "--json")
	report = fromJSON[importReport](t, out.stdout)
	assert.Equal(t, []int{3, 2, 1, 0}, []int{report.Read, report.Created, report.Matched, report.Skipped}, "a finished import leaves no mark")
}

func TestImportGraph(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	graph := strings.Join([]string{
		`{"type": "service", "name": "gateway"}`,
		`{"type": "service", "name": "auth"}`,
		`{"from": {"name": "gateway"}, "to": {"name": "auth"}, "type": "depends_on"}`,
		`{"from": {"name": "gateway"}, "to": {"name": "nobody"}, "type": "depends_on"}`,
		`{"type": "service", "name": "  "}`,
		`{"type": "service", "name": "x", "confidence": 7}`,
	}, "\n")
	out := runMneme(t, env, graph, "import", "graph", "-", "--workspace", key, "--json")
	assert.Equal(t, exitPartly, out.status, out.stderr)
	report := fromJSON[importReport](t, out.stdout)
	assert.Equal(t, []int{6, 3, 0, 3}, []int{report.Read, report.Created, report.Matched, report.Failed})
	for _, says := range []string{"line 4: to: ", "[NOT_FOUND]", "line 5: name: ", "line 6: confidence: ", "[INVALID_INPUT]"} {
		assert.Contains(t, out.stderr, says)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	env := testEnvironment(t)
	with := func(name, value string) environment {
		changed := environment{name: value}
		for k, v := range env {
			if k != name {
				changed[k] = v
			}
		}
		return changed
	}
	entry := fileOf(t, `{"title": "a"}`)
	for name, tc := range map[string]struct {
		env    environment
		args   []string
		status int
		says   string
	}{
		"an unreachable database":   {with("NEO4J_URI", "bolt://127.0.0.1:1"), []string{"workspace", "list"}, exitMissing, "NEO4J_URI"},
		"a user that is not known":  {with("NEO4J_USERNAME", "nobody"), []string{"workspace", "list"}, exitMissing, "NEO4J_PASSWORD"},
		"a database that is not":    {with("NEO4J_DATABASE", "nowhere"), []string{"workspace", "list"}, exitMissing, "NEO4J_DATABASE"},
		"an unknown workspace":      {env, []string{"recall", "x", "--org-wide", "--workspace", freshKey()}, exitInput, "NOT_FOUND"},
		"L1 recall without a scope": {env, []string{"recall", "x"}, exitInput, "--org-wide"},
		"L1 recall with two":        {env, []string{"recall", "x", "--general", "--org-wide"}, exitInput, "--contact"},
		"recall at a bad date":      {env, []string{"recall", "x", "--general", "--as-of", "2026-02-30"}, exitInput, "--as-of"},
		"recall with limit 1000":    {env, []string{"recall", "x", "--general", "--limit", "1000"}, exitInput, "limit"},
		"an unknown contact":        {env, []string{"recall", "x", "--contact", "no.body@example.org"}, exitInput, "contact"},
		"a file that is not there":  {env, []string{"import", "entries", "/nowhere/x.jsonl"}, exitInput, "FILE"},
		"a folder for a file":       {env, []string{"import", "entries", t.TempDir()}, exitInput, "FILE"},
		"no line that is right":     {env, []string{"import", "entries", entry, "--workspace", freshKey()}, exitInput, "content"},
		"an impossible workspace":   {env, []string{"import", "entries", entry, "--workspace", "a b/c"}, exitInput, "--workspace"},
		"the local Neo4j with URI":  {env, []string{"neo4j", "status"}, exitInput, "NEO4J_URI"},
		"an unknown data set":       {env, []string{"bench", "retrieval", "--dataset", "x"}, exitInput, "--dataset"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := runMneme(t, tc.env, "", tc.args...)
			assert.Equal(t, tc.status, out.status, out.stderr)
			assert.Contains(t, out.stderr, tc.says)
			assert.NotContains(t, out.stderr, env["NEO4J_PASSWORD"])
		})
	}
}

func TestNeo4jCommands(t *testing.T) {
	t.Parallel()
	local := environment{"MNEME_DATA_DIR": t.TempDir(), "MNEME_CACHE_DIR": t.TempDir()}
	out := runMneme(t, local, "", "neo4j", "status", "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	assert.Equal(t, "stopped", fromJSON[neo4jState](t, out.stdout).State)
	out = runMneme(t, local, "", "neo4j", "stop")
	assert.Equal(t, exitDone, out.status, out.stderr)

	env := testEnvironment(t)
	out = runMneme(t, env, "RETURN 'a;b' AS text, [1, null] AS list;\nRETURN 2 AS two", "neo4j", "shell")
	require.Equal(t, exitDone, out.status, out.stderr)
	assert.Contains(t, out.stdout, "a;b")
	assert.Contains(t, out.stdout, "[1, null]")
	assert.Contains(t, out.stdout, "two")
	out = runMneme(t, env, "", "neo4j", "shell", "RETRUN 1")
	assert.Equal(t, exitInput, out.status)
	assert.Contains(t, out.stderr, "RETRUN")
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	env := testEnvironment(t)
	out := runMneme(t, env, "", "doctor", "--json")
	require.Equal(t, exitDone, out.status, out.stdout+out.stderr)
	report := fromJSON[struct {
		Checks   []check
		Settings []effective
	}](t, out.stdout)
	names := map[string]string{}
	for _, c := range report.Checks {
		names[c.Name] = c.State
	}
	assert.NotEmpty(t, names["lock timeout"], "O24")
	delete(names, "lock timeout") // as the database is set
	assert.Equal(t, map[string]string{"data folder": checkOK, "cache folder": checkOK, "database": checkOK, "indexes": checkOK, "embedder": checkOK}, names)
	assert.NotContains(t, out.stdout, env["NEO4J_PASSWORD"])
	assert.Len(t, report.Settings, len(settings()))

	env["NEO4J_URI"] = "bolt://127.0.0.1:1"
	env["MNEME_DATA_DIR"] = fileOf(t, "not a folder")
	out = runMneme(t, env, "", "doctor")
	assert.Equal(t, exitMissing, out.status)
	assert.Contains(t, out.stdout, "→ check NEO4J_URI")
	assert.Contains(t, out.stdout, "→ make it writable")
}

func TestBenchRetrieval(t *testing.T) {
	t.Parallel()
	env := testEnvironment(t)
	turns := fileOf(t,
		`{"conversation": 0, "session": 1, "id": "0/1", "speaker": "Ada", "sentAt": "2024-05-01T10:00:00Z", "text": "I adopted a greyhound called Comet."}`,
		`{"conversation": 0, "session": 1, "id": "0/2", "speaker": "Ben", "sentAt": "2024-05-01T10:01:00Z", "text": "Nice weather for sailing."}`,
		`{"conversation": 1, "session": 1, "id": "1/1", "speaker": "Cy", "sentAt": "2024-06-01T10:00:00Z", "text": "We visited the lighthouse museum."}`,
	)
	questions := fileOf(t,
		`{"conversation": 0, "question": "What is the name of the greyhound?", "category": 4, "evidence": ["0/1"]}`,
		`{"conversation": 1, "question": "Which museum did they visit?", "category": 1, "evidence": ["1/1", "1/9"]}`,
		`{"conversation": 1, "question": "Unanswerable?", "category": 5, "evidence": []}`,
	)
	out := runMneme(t, env, "", "bench", "retrieval", "--dataset", "locomo", "--turns", turns, "--questions", questions, "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	got := fromJSON[map[string]any](t, out.stdout)
	assert.InDelta(t, 0.75, got["recall@10"], 1e-9)
	assert.InDelta(t, 3, got["entries"], 0)
	assert.InDelta(t, 2, got["questions"], 0)
	assert.Contains(t, got, "p50Ms")
	byCategory, _ := got["byCategory"].(map[string]any)
	assert.Len(t, byCategory, 2)

	passages := fileOf(t, `{"id": "w0", "title": "Teal Lake", "text": "Teal Lake lies in the north."}`, `{"id": "w1", "title": "Otto Reed", "text": "Otto Reed was a painter."}`)
	asked := fileOf(t, `{"question": "Where does Teal Lake lie?", "type": "bridge", "evidence": ["w0"]}`)
	out = runMneme(t, env, "", "bench", "retrieval", "--dataset", "2wiki", "--passages", passages, "--questions", asked)
	require.Equal(t, exitDone, out.status, out.stderr)
	assert.Contains(t, out.stdout, "100.0")

	out = runMneme(t, env, "", "workspace", "list")
	assert.NotContains(t, out.stdout, "bench-locomo", "what was imported is removed")
	assert.NotContains(t, out.stdout, "bench-2wiki")
}

func TestBenchTruth(t *testing.T) {
	t.Parallel()
	out := runMneme(t, testEnvironment(t), "", "bench", "truth", "--seed", "7", "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	got := fromJSON[bench.TruthResult](t, out.stdout)
	assert.Greater(t, got.Cases, 1_000)
	assert.Equal(t, bench.TruthResult{Cases: got.Cases, Hits: got.Hits}, got, "T1–T5: every answer is right")
}

func TestBenchScale(t *testing.T) {
	t.Parallel()
	out := runMneme(t, testEnvironment(t), "", "bench", "scale", "--entities", "1000", "--edges", "3000", "--samples", "2", "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	got := fromJSON[bench.ScaleResult](t, out.stdout)
	require.Len(t, got.Sizes, 2)
	assert.Equal(t, []int{100, 1000}, []int{got.Sizes[0].Entities, got.Sizes[1].Entities})
	for _, size := range got.Sizes {
		assert.Len(t, size.Bulk, 2)
		for _, rate := range size.Bulk {
			assert.Positive(t, rate.PerSecond)
			assert.Positive(t, rate.Bare)
		}
		for _, l := range size.Latencies {
			assert.Positive(t, l.P50, l.Name)
			assert.Positive(t, l.BareP50, l.Name)
		}
	}
	assert.NotEmpty(t, got.Growth)
}

func TestBenchThroughput(t *testing.T) {
	t.Parallel()
	env := testEnvironment(t)
	out := runMneme(t, env, "", "bench", "throughput", "--what", "recall", "--entries", "120", "--workspaces", "3", "--samples", "5", "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	result := fromJSON[bench.ThroughputResult](t, out.stdout)
	require.Len(t, result.Tenants, 3)
	for _, tenant := range result.Tenants {
		assert.InDelta(t, 1, tenant.TopTen, 0, "a small workspace is looked through whole")
		assert.Zero(t, tenant.Short, tenant.Name)
		assert.Positive(t, tenant.P50)
	}
	out = runMneme(t, env, "", "bench", "throughput", "--what", "luck")
	assert.Equal(t, exitInput, out.status)
}
