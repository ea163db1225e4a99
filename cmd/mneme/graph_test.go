package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// session is a row of commands at a terminal, with what each prints and its exit status,
// as the golden files have it: ids and moments of this run stand under names of their own.
type session struct {
	t    *testing.T
	env  environment
	key  string
	text strings.Builder
	ids  map[string]string
}

func newSession(t *testing.T) *session {
	t.Helper()
	s := &session{t: t, env: testEnvironment(t), key: freshKey(), ids: map[string]string{}}
	out := runMneme(t, s.env, "", "workspace", "create", s.key)
	require.Equal(t, exitDone, out.status, out.stderr)
	return s
}

var (
	sessionIDs   = regexp.MustCompile(`\b(ent|edg)_[0-9a-z]{26}\b`)
	sessionTimes = regexp.MustCompile(`\b20\d\d-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z| \d\d:\d\d)\b`)
)

// do runs `mneme graph` with a line of arguments; quoted ones may hold spaces.
func (s *session) do(line string) runOutput {
	s.t.Helper()
	var args []string
	for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
		args = append(args, m[1]+m[2])
	}
	out := runMneme(s.t, s.env, "", append(append([]string{"graph"}, args...), "--workspace", s.key)...)
	fmt.Fprintf(&s.text, "$ mneme graph %s\n%s", line, out.stdout)
	if out.stderr != "" {
		for l := range strings.Lines(out.stderr) {
			fmt.Fprintf(&s.text, "! %s", l)
		}
	}
	fmt.Fprintf(&s.text, "[%d]\n\n", out.status)
	return out
}

// golden compares the session with its file.
func (s *session) golden(name string) {
	s.t.Helper()
	text := sessionIDs.ReplaceAllStringFunc(s.text.String(), func(id string) string {
		if s.ids[id] == "" {
			kind, _, _ := strings.Cut(id, "_")
			s.ids[id] = fmt.Sprintf("%s_%d", kind, len(s.ids)+1)
		}
		return s.ids[id]
	})
	text = sessionTimes.ReplaceAllString(text, "MOMENT")
	text = strings.ReplaceAll(text, s.key, "WORKSPACE")
	golden(s.t, name, text)
}

// golden compares a text with a file of testdata, which MNEME_UPDATE_GOLDEN=1 writes anew.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if os.Getenv("MNEME_UPDATE_GOLDEN") == "1" {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), text)
}

// SPEC O19 to O22 as a person sees them: looking, changing nothing, changing, looking again.
func TestO19_O20_O22_Session(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	for _, line := range []string{
		``,
		`node add --name Wet --type concept`,
		`--entity wet`,
		`node add --name Wet --type concept --id w-1 --description "Made of water" --apply`,
		`node add --name Wet --type concept`,
		`edge add --from Wet --to gateway --verb "Feeds  Into!"`,
		`--path Wet gateway`,
		`edge add --from Wet --to gateway --verb "Feeds  Into!" --doc-id d1 --apply`,
		`edge add --from w-1 --to GATEWAY --verb feeds_into --doc-id d1`,
		`edge add --from w-1 --to GATEWAY --verb feeds_into --doc-id d1 --apply`,
		`--entity W-1`,
		`--path Wet gateway`,
		`--path gateway Wet --direction outgoing`,
		`node set --entity wet --name Water --type system`,
		`node set --entity wet --name Water --type system --apply`,
		`--entity wet`,
		``,
		`--format dot`,
		`--format mermaid`,
		`invalidate --doc-id d1`,
		`edge add --from Water --to Fire --verb puts_out --apply`,
		`edge remove --from Water --to Fire --verb puts_out`,
		`edge remove --from Water --to Fire --verb puts_out --apply`,
		`edge remove --from Water --to Fire --verb puts_out --apply`,
		`edge add --from Water --to Fire --verb puts_out --apply`,
		`--entity fire --history`,
		`edge remove --from Water --to Fire --verb puts_out --forget --apply`,
		`invalidate --doc-id d1 --apply`,
		`invalidate --doc-id d1 --apply`,
		`--entity water`,
		`--entity water --as-of 2020-01-01`,
	} {
		s.do(line)
	}
	s.golden("graph_session")
}

// SPEC O21: what ends with 1, and what does not.
func TestO21_ExitStatuses(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	for _, line := range []string{
		`node add --name Mercury --type concept --apply`,
		`node add --name Mercury --type system --apply`,
		`node add --name Sun --type concept --apply`,
	} {
		require.Equal(t, exitDone, s.do(line).status, line)
	}
	for line, want := range map[string]int{
		`--help`: exitDone, `help`: exitDone, `node`: exitDone, `node add --help`: exitDone,
		`--entity "no such"`: exitDone, `--path Sun "no such"`: exitDone, `--path Sun Sun`: exitDone,
		`edge remove --from Sun --to "no such" --verb uses --apply`: exitDone, `invalidate --doc-id none --apply`: exitDone, `node set --entity "no such" --name x --apply`: exitDone,
		`--entity mercury`: exitInput, `--path Sun mercury`: exitInput, `node add --apply`: exitInput, `node add --name Sun --type "!!" --apply`: exitInput,
		`node set --entity Sun --apply`: exitInput, `node set --entity Sun --type "?" --apply`: exitInput, `edge add --from Sun --to Sun --verb uses --apply`: exitInput,
		`edge add --from Sun --verb uses`: exitInput, `edge add --from Sun --to mercury --verb uses`: exitInput, `invalidate --apply`: exitInput,
		`shine`: exitInput, `node shine`: exitInput, `--format pdf`: exitInput, `--path Sun`: exitInput, `--as-of yesterday`: exitInput, `--direction up`: exitInput, `--nonsense`: exitInput,
	} {
		assert.Equal(t, want, s.do(line).status, line)
	}
	out := s.do(`--entity mercury`)
	assert.Contains(t, out.stderr, "AMBIGUOUS")
	assert.Contains(t, out.stderr, "Mercury (system)", "the candidates are named")

	// Precedence: an edit, a format, a path, an entity, a summary.
	assert.Contains(t, s.do(`--format dot --path Sun Sun --entity Sun node add --name Moon --apply`).stdout, "Created concept Moon")
	assert.Contains(t, s.do(`--format dot --path Sun Sun --entity Sun`).stdout, "digraph mneme {")
	assert.Contains(t, s.do(`--entity Sun --path Sun Sun`).stdout, "0 hops")
	assert.Contains(t, s.do(`--entity Sun`).stdout, "It has no edges.")
	assert.NotContains(t, s.do(`--entity Sun`).stdout, "\x1b[", "colours are for terminals")
}

// Every command prints JSON too.
func TestO20_JSON(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	dry := fromJSON[nodeEditOutput](t, s.do(`node add --name Sun --json`).stdout)
	assert.False(t, dry.Applied)
	assert.True(t, dry.Created)
	assert.Empty(t, dry.Entity.ID)
	made := fromJSON[nodeEditOutput](t, s.do(`node add --name Sun --json --apply`).stdout)
	assert.Equal(t, "MANUAL", made.Entity.Source, "O5")
	edge := fromJSON[edgeEditOutput](t, s.do(`edge add --from Sun --to Moon --verb lights --json --apply`).stdout)
	require.Len(t, edge.New, 1, "O5 an unknown end is made as a concept")
	assert.Equal(t, "concept", edge.New[0].Type)
	assert.Equal(t, made.Entity.ID, edge.Edge.From)
	shown := fromJSON[entityShown](t, s.do(`--entity `+strings.ToUpper(made.Entity.ID)+` --json`).stdout)
	require.Len(t, shown.Outgoing, 1)
	assert.Equal(t, "Moon", shown.Outgoing[0].Entity.Name)
	path := fromJSON[pathOutput](t, s.do(`--path moon sun --json`).stdout)
	assert.Equal(t, 1, path.Hops)
	sum := fromJSON[summaryOutput](t, s.do(`--json`).stdout)
	assert.Equal(t, []int{2, 1}, []int{sum.Entities, sum.CurrentEdges})
	assert.Equal(t, "null\n", s.do(`--entity nobody --json`).stdout)
	removed := fromJSON[removedOutput](t, s.do(`edge remove --from sun --to moon --verb lights --json`).stdout)
	assert.False(t, removed.Applied)
	assert.Len(t, removed.Edges, 1)
	assert.Equal(t, 1, fromJSON[summaryOutput](t, s.do(`--json`).stdout).CurrentEdges, "it was only rehearsed")
}

// The shell completes formats, types, and the names of entities.
func TestO20_Completion(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	s.do(`node add --name Kafka --type technology --apply`)
	complete := func(args ...string) string {
		out := runMneme(t, s.env, "", append([]string{"__complete", "graph", "--workspace", s.key}, args...)...)
		require.Equal(t, exitDone, out.status, out.stderr)
		return out.stdout
	}
	assert.Contains(t, complete("--format", ""), "graphml")
	assert.Contains(t, complete("--entity", "ka"), "Kafka\ttechnology")
	assert.Contains(t, complete("edge", "add", "--from", "ka"), "Kafka")
	assert.Contains(t, complete("node", "add", "--type", ""), "person\t")
	out := runMneme(t, s.env, "", "completion", "bash")
	assert.Equal(t, exitDone, out.status)
	assert.Contains(t, out.stdout, "__complete")
}

func TestSplitPath(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"graph --path a b":              "graph --path a --path b",
		"graph --path=a b --json":       "graph --path=a --path b --json",
		"graph --path a --json":         "graph --path a --json",
		"--data x graph --path a node":  "--data x graph --path a --path node",
		"graph --path a b --format dot": "graph --path a --path b --format dot",
		"recall --path a b":             "recall --path a b",
	} {
		assert.Equal(t, strings.Fields(want), splitPath(strings.Fields(in)), in)
	}
}
