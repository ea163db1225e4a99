package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// toolTime is how long it may take to install a tool.
const toolTime = 3 * time.Minute

// tool is a folder with a tool of another ecosystem, installed by commands and kept in the
// user's cache. The name says the version. Where it cannot be had the test says so and
// does without.
func tool(t *testing.T, name string, commands ...string) (string, bool) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "mneme-test-tools", name)
	if _, err := os.Stat(folder); err == nil {
		return folder, true
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(folder), 0o755))
	making, err := os.MkdirTemp(filepath.Dir(folder), ".making-*")
	require.NoError(t, err)
	defer func() { _ = os.RemoveAll(making) }()
	ctx, cancel := context.WithTimeout(t.Context(), toolTime)
	defer cancel()
	for _, command := range commands {
		words := strings.Fields(command)
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Dir = making
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Logf("%s cannot be installed here, and is not asked: %s: %v\n%s", name, command, err, out)
			return "", false
		}
	}
	if err := os.Rename(making, folder); err != nil && !errors.Is(err, os.ErrExist) {
		_, err := os.Stat(folder) // another test run was quicker
		require.NoError(t, err)
	}
	return folder, true
}

// ask runs a tool on a text and gives what it makes of it.
func ask[T any](t *testing.T, text string, words ...string) T {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Stdin = strings.NewReader(text)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "%v: %s", words, stderr.String())
	var answer T
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &answer), stdout.String())
	return answer
}

// oddStory is a story with names that formats trip over.
func (b *bundle) oddStory(t *testing.T) exported {
	t.Helper()
	b.story(t)
	for i, name := range []string{`a "b" \`, "1. list", "- dash", "`code` *bold* _it_", "end", "<script>alert(1)</script> & #1;", "[x]{y}|z|(a)", "%% comment", "two\nlines", `\u0027 \n`, "subgraph", "👩‍🚀 王小明"} {
		_, err := b.edges.Assert(t.Context(), b.to, knowledge.EdgeDraft{From: b.concept(t, name), To: b.concept(t, "hub"), Type: fmt.Sprintf("uses %d", i%3)})
		require.NoError(t, err)
	}
	_, x := b.exportJSON(t, b.ws.Key)
	return x
}

// current are the edges of an export that hold, and the names of all entities by id.
func (b *bundle) current(x exported) (edges []knowledge.ExportedEdge, names map[string]string) {
	names = map[string]string{}
	for _, e := range x.Entities {
		names[e.ID] = e.Name
	}
	now := b.clock.Now()
	for _, e := range x.Edges {
		if e.ValidTo == nil || e.ValidTo.After(now) {
			edges = append(edges, e)
		}
	}
	return edges, names
}

// SPEC O17: Graphviz itself reads a DOT export: the one of this machine, or else its build
// for Node.
func TestO17_Graphviz(t *testing.T) {
	t.Parallel()
	b := setup(t)
	edges, names := b.current(b.oddStory(t))
	text := b.export(t, b.ws.Key, service.ExportRequest{Format: knowledge.ExportDOT})
	words := []string{"dot", "-Tjson"}
	if _, err := exec.LookPath("dot"); err != nil {
		folder, ok := tool(t, "graphviz-1.29.2", "npm install --no-audit --no-fund --ignore-scripts @hpcc-js/wasm-graphviz@1.29.2")
		if !ok {
			return // TestO17_DOT compares the text itself
		}
		words = []string{"node", filepath.Join("testdata", "tools", "graphviz.mjs"), folder}
	}
	got := ask[struct {
		Objects []struct {
			ID   int `json:"_gvid"`
			Name string
		}
		Edges []struct {
			Tail, Head int
			Label      string
		}
	}](t, text, words...)
	// Graphviz keeps what a backslash begins, for labels to make of it what it means, and
	// gives a name that begins with % a number of its own.
	kept := func(name string) string {
		if strings.HasPrefix(name, "%") {
			return "%"
		}
		return strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(name)
	}
	byID, want := map[int]string{}, map[string]bool{}
	for i, o := range got.Objects {
		if strings.HasPrefix(o.Name, "%") {
			got.Objects[i].Name = "%"
		}
		byID[o.ID] = got.Objects[i].Name
	}
	for _, name := range names {
		want[kept(name)] = true
	}
	assert.Len(t, got.Objects, len(want), "entities of one name are one node")
	for _, o := range got.Objects {
		assert.True(t, want[o.Name], o.Name)
	}
	var wanted, found []string
	for _, e := range edges {
		wanted = append(wanted, kept(names[e.From])+" -"+e.Type+"-> "+kept(names[e.To]))
	}
	for _, e := range got.Edges {
		found = append(found, byID[e.Tail]+" -"+e.Label+"-> "+byID[e.Head])
	}
	assert.ElementsMatch(t, wanted, found)
}

// SPEC O18: NetworkX reads a GraphML export, every text as it was.
func TestO18_NetworkX(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.oddStory(t)
	edges, _ := b.current(x)
	text := b.export(t, b.ws.Key, service.ExportRequest{Format: knowledge.ExportGraphML})
	script := filepath.Join("testdata", "tools", "graphml.py")
	words := []string{"python3", script}
	if err := exec.CommandContext(t.Context(), "python3", "-c", "import networkx").Run(); err != nil {
		folder, ok := tool(t, "networkx-3.4.2", "python3 -m pip install --quiet --disable-pip-version-check --target . networkx==3.4.2")
		if !ok {
			return // TestO18_GraphML reads the text itself
		}
		words = []string{"env", "PYTHONPATH=" + folder, "python3", script}
	}
	got := ask[struct {
		Nodes map[string]map[string]any
		Edges [][]any
	}](t, text, words...)
	require.Len(t, got.Nodes, len(x.Entities))
	for _, e := range x.Entities {
		assert.Equal(t, e.Name, got.Nodes[e.ID]["name"])
		assert.InDelta(t, e.Confidence, got.Nodes[e.ID]["confidence"], 1e-9)
		if e.Description != nil {
			assert.Equal(t, *e.Description, got.Nodes[e.ID]["description"])
		}
	}
	var wanted, found []string
	for _, e := range edges {
		wanted = append(wanted, e.From+" "+e.Fact+" "+e.To)
	}
	for _, e := range got.Edges {
		found = append(found, fmt.Sprint(e[0], " ", e[2].(map[string]any)["fact"], " ", e[1]))
	}
	assert.ElementsMatch(t, wanted, found)
}

// mermaidLine is what a line of a Mermaid export may be.
var mermaidLine = regexp.MustCompile(`^(flowchart LR|  n\d+\["[^"]*"\]|  n\d+ -->\|"[^"]+"\| n\d+)$`)

// mermaidCode is a character code as Mermaid's parser keeps it until it draws.
var mermaidCode = regexp.MustCompile(`ﬂ°(°?)(\w+)¶ß`)

// SPEC O18: Mermaid's own parser reads a Mermaid export.
func TestO18_Mermaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	x := b.oddStory(t)
	edges, names := b.current(x)
	text := b.export(t, b.ws.Key, service.ExportRequest{Format: knowledge.ExportMermaid})
	for line := range strings.Lines(text) {
		assert.Regexp(t, mermaidLine, strings.TrimSuffix(line, "\n"))
	}
	folder, ok := tool(t, "mermaid-11.12.0", "npm pack --silent mermaid@11.12.0", "tar xzf mermaid-11.12.0.tgz package/dist/mermaid.min.js", "rm mermaid-11.12.0.tgz",
		"npm install --no-audit --no-fund --ignore-scripts jsdom@26.1.0")
	if !ok {
		return // the lines above were looked at
	}
	got := ask[struct {
		Nodes map[string]string
		Edges [][]string
	}](t, text, "node", filepath.Join("testdata", "tools", "mermaid.mjs"), folder)
	shown := func(text string) string {
		return mermaidCode.ReplaceAllStringFunc(text, func(code string) string {
			m := mermaidCode.FindStringSubmatch(code)
			switch m[2] {
			case "quot":
				return `"`
			case "lt":
				return "<"
			case "gt":
				return ">"
			case "amp":
				return "&"
			}
			var n rune
			_, err := fmt.Sscanf(m[2], "%d", &n)
			require.NoError(t, err, code)
			return string(n)
		})
	}
	var wanted, found []string
	for _, e := range x.Entities {
		wanted = append(wanted, knowledge.CollapseSpace(e.Name))
	}
	for _, text := range got.Nodes {
		found = append(found, shown(text))
	}
	assert.ElementsMatch(t, wanted, found)
	wanted, found = nil, nil
	for _, e := range edges {
		wanted = append(wanted, knowledge.CollapseSpace(names[e.From])+" "+e.Type+" "+knowledge.CollapseSpace(names[e.To]))
	}
	for _, e := range got.Edges {
		found = append(found, shown(got.Nodes[e[0]])+" "+shown(e[1])+" "+shown(got.Nodes[e[2]]))
	}
	assert.ElementsMatch(t, wanted, found)
}
