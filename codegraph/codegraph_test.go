package codegraph_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"mneme/codegraph"
	"mneme/knowledge"
)

// write lays the files of an archive out in a fresh folder.
func write(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		put(t, dir, f.Name, string(f.Data))
	}
	return dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// index builds the graph of an archive.
func index(t testing.TB, archive string) *codegraph.Index {
	t.Helper()
	return build(t, write(t, archive), codegraph.Options{})
}

func build(t testing.TB, dir string, options codegraph.Options) *codegraph.Index {
	t.Helper()
	options.Repository = "repo"
	x, err := codegraph.Build(t.Context(), dir, options)
	require.NoError(t, err)
	return x
}

// edges are those of a type as "from → to", with what tells them apart behind.
func edges(x *codegraph.Index, kind knowledge.CodeEdgeType, describe func(knowledge.CodeEdge) string) []string {
	found := []string{}
	for _, e := range x.Edges {
		if e.Type != kind {
			continue
		}
		line := e.From.String() + " → " + e.To.String()
		if describe != nil {
			line += " " + describe(e)
		}
		found = append(found, line)
	}
	return found
}

func resolution(e knowledge.CodeEdge) string { return "(" + e.Resolution + ")" }

func name(e knowledge.CodeEdge) string { return "as " + e.Name }

// lines are the lines of a text without indentation and blank ones.
func lines(text string) []string {
	found := []string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			found = append(found, line)
		}
	}
	return found
}

func listing(t testing.TB, x *codegraph.Index) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", " ")
	require.NoError(t, enc.Encode(x.Listing()))
	return b.String()
}

func symbol(t testing.TB, x *codegraph.Index, path, qualified string) knowledge.CodeSymbol {
	t.Helper()
	for _, s := range x.Symbols {
		if s.Path == path && s.QualifiedName == qualified {
			return s
		}
	}
	require.Fail(t, "no such symbol", "%s#%s", path, qualified)
	return knowledge.CodeSymbol{}
}

func file(t testing.TB, x *codegraph.Index, path string) knowledge.CodeFile {
	t.Helper()
	for _, f := range x.Files {
		if f.Path == path {
			return f
		}
	}
	require.Fail(t, "no such file", path)
	return knowledge.CodeFile{}
}

func TestP1_NodesAndKeys(t *testing.T) {
	t.Parallel()
	before := index(t, "-- a.ts --\n/** Runs it. */\nexport class A { run(): void {} }\n")
	after := index(t, "-- a.ts --\n// a line above\n\n/** Runs it. */\nexport class A { run(): void {} }\n")
	a, b := symbol(t, before, "a.ts", "A"), symbol(t, after, "a.ts", "A")
	assert.Equal(t, 2, a.Line)
	assert.Equal(t, 4, b.Line, "an edit above moves the line")
	id := func(s knowledge.CodeSymbol) string {
		return knowledge.CodeSymbolID("w", s.Repository, s.Path, s.QualifiedName, s.Kind)
	}
	assert.Equal(t, id(a), id(b), "and leaves the id")
	assert.Equal(t, "Runs it.", a.Doc)
	assert.Equal(t, "class A", a.Signature)
	assert.Equal(t, knowledge.CodeKindMethod, symbol(t, before, "a.ts", "A.run").Kind)
	f := file(t, before, "a.ts")
	assert.Equal(t, "typescript", f.Language)
	assert.Len(t, f.ContentHash, 64)
	assert.Equal(t, "utf-8", f.Encoding)
}

func TestP2_EdgesSayHowTheyWereFound(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- engine.ts --
export class Engine {}
-- car.ts --
import { Engine } from "./engine";
import type { Shape } from "./shape";
export class Car extends Engine { engine = new Engine(); shape?: Shape }
-- shape.ts --
export interface Shape {}
`)
	for _, e := range x.Edges {
		assert.NotEmpty(t, e.File, e)
		assert.NotEmpty(t, e.Kind, e)
		assert.NotEmpty(t, e.Resolution, e)
		want := map[knowledge.CodeEdgeType]float64{
			knowledge.CodeImportsFile: 0.98, knowledge.CodeExportsSymbol: 0.99, knowledge.CodeExtends: 0.95,
		}
		if sure, there := want[e.Type]; there {
			assert.InDelta(t, sure, e.Confidence, 1e-9, e)
		}
		if e.Type == knowledge.CodeImportsFile {
			assert.Equal(t, e.To.Path == "shape.ts", e.TypeOnly, e)
		}
	}
	assert.Equal(t, []string{"car.ts#Car → engine.ts#Engine"}, edges(x, knowledge.CodeExtends, nil))
	assert.Equal(t, []string{"car.ts#Car → engine.ts#Engine"}, edges(x, knowledge.CodeCalls, nil))
	assert.Contains(t, edges(x, knowledge.CodeReferences, nil), "car.ts#Car → shape.ts#Shape")
}

func TestP2_NamesAreNeverMatchedGlobally(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- a.ts --
export function helper() {}
export function shadowed(helper: () => void) { helper(); }
export function local() { const helper = () => {}; helper(); { class Error2 {} new Error2(); } }
export function own() { helper(); }
-- b.ts --
export function other() { helper(); }
declare const helper: () => void;
-- c.ts --
export function third() { helper(); }
`)
	assert.Equal(t, []string{"a.ts#local → a.ts#local.Error2", "a.ts#own → a.ts#helper", "b.ts#other → b.ts#helper"}, edges(x, knowledge.CodeCalls, nil))
}

func TestP12_Report(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- a.ts --
export const a = 1;
-- b.ts --
import { a } from "./a";
function broken( { 
-- logo.png --
x
-- big.min.js --
x
-- node_modules/x/index.js --
x
`)
	r := x.Report
	assert.Equal(t, 3, r.Files)
	assert.Equal(t, 1, r.ParseErrors)
	assert.Equal(t, map[string]int{codegraph.SkippedMinified: 1}, r.Skipped)
	assert.Equal(t, map[string]int{codegraph.LeftIgnored: 1, codegraph.LeftNoSource: 1}, r.Left)
	assert.Equal(t, 1, r.Edges[knowledge.CodeImportsFile])
	assert.Equal(t, 2, r.Parsed)
}

func TestP12_ProgressReachesTheEnd(t *testing.T) {
	t.Parallel()
	last := map[string]codegraph.Progress{}
	build(t, write(t, "-- a.ts --\n-- b.ts --\n"), codegraph.Options{Progress: func(p codegraph.Progress) { last[p.Stage] = p }})
	assert.Equal(t, codegraph.Progress{Stage: "extract", Done: 2, Total: 2}, last["extract"])
	assert.Equal(t, 2, last["scan"].Done)
	assert.Contains(t, last, "resolve")
}

func sortLike(list []string) []string {
	slices.SortFunc(list, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return list
}
