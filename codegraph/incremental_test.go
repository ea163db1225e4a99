package codegraph_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"mneme/codegraph"
	"mneme/knowledge"
)

// edited is a repository with all that resolution depends on: two modules and a workspace in Go,
// workspace packages, path mappings, barrels and types in TypeScript, packages in Python, ignore files.
const edited = `
-- .gitignore --
ignored.ts
-- go.mod --
module example.com/m

replace example.com/lib => ./lib
-- main.go --
package main

import (
	"example.com/lib"
	"example.com/m/store"
)

type closer interface{ Close() error }

func main() { var s closer = &store.Store{Base: lib.Base{}}; _ = s; lib.Run() }
-- store/store.go --
package store

import "example.com/lib"

type Store struct{ lib.Base }

func (s *Store) Open() { lib.Run() }
-- store/store_windows.go --
package store

func Platform() {}
-- store/store_test.go --
package store_test

import "example.com/m/store"

type fake struct{ store.Store }

func helper() { (&store.Store{}).Open() }
-- lib/go.mod --
module example.com/lib
-- lib/lib.go --
package lib

type Base struct{ Field int }

func (b *Base) Close() error { return nil }

func Run() {}
-- package.json --
{"workspaces": ["packages/*"]}
-- tsconfig.json --
{"compilerOptions": {"moduleResolution": "bundler", "paths": {"@/*": ["./packages/app/src/*"]}}}
-- packages/lib/package.json --
{"name": "lib", "version": "1.0.0", "exports": {".": {"types": "./dist/index.d.ts"}}}
-- packages/lib/src/index.ts --
export * from "./shapes";
export { default as Main } from "./main.js";
-- packages/lib/src/shapes.ts --
export class Shape {}
export interface Sized { size: number }
-- packages/lib/src/main.ts --
import { Shape } from "./shapes";
export default class Main extends Shape {}
-- packages/app/package.json --
{"name": "app", "dependencies": {"lib": "workspace:*"}}
-- packages/app/src/m.ts --
import { Shape, Main, type Sized } from "lib";
import { util } from "@/util";
export class App extends Main implements Sized { size = util(new Shape()) }
-- packages/app/src/util.ts --
export function util(x: unknown) { return 1; }
-- packages/app/src/legacy.js --
const { util } = require("./util");
module.exports = { util };
-- py/shop/__init__.py --
from .cart import Cart
-- py/shop/cart.py --
from shop.base import Base
class Cart(Base):
    pass
-- py/shop/base.py --
class Base: pass
-- README.md --
# Read me
`

// texts are contents that an edit may give to a file, by extension; some change what others mean.
var texts = map[string][]string{
	".go": {
		"package store\n\ntype Store struct{ extra int }\n\nfunc (s *Store) Close() error { return nil }\n",
		"package store\n\nimport \"example.com/lib\"\n\nfunc Open() { lib.Run(); var b lib.Base; b.Field = 1; b.Close() }\n",
		"package lib\n\ntype Base struct{ Other string }\n\nfunc (b Base) Close() error { panic(1) }\n\nfunc Run() { Run() }\n",
		"package lib\n\ntype Base interface{ Close() error }\n",
		"//go:build windows\n\npackage store\n\nfunc Open() {}\n",
		"package broken\n\nfunc (",
	},
	".ts": {
		"export class Shape { area() {} }\nexport interface Sized {}\n",
		"export * from './shapes';\nexport * from './main';\nexport class Shape {}\n",
		"import { Shape } from 'lib';\nexport default class Other extends Shape {}\n",
		"import '@/util'; import './shapes'; export const util = () => Shape;\n",
		"export { Shape as Main } from './shapes.js'; export * as all from './index';\n",
		"class {",
	},
	".js": {"exports.util = () => 1;\n", "import { util } from './util'; export { util };\n"},
	".py": {"class Base: pass\nclass Cart(Base): pass\n", "from . import cart\nfrom .cart import *\n", "def broken(:\n"},
	".json": {
		"{}", "{",
		`{"name": "lib", "version": "2.0.0", "main": "src/main.ts"}`,
		`{"name": "other", "dependencies": {"lib": "^1.0.0"}}`,
		`{"workspaces": ["packages/lib"]}`,
		`{"compilerOptions": {"baseUrl": "./packages/lib/src", "paths": {"@/*": ["./*"], "lib": ["./main.ts"]}}}`,
		`{"extends": "./tsconfig.json", "include": ["packages/app"]}`,
	},
	".mod":       {"module example.com/m\n", "module example.com/lib\n", "module example.com/m\n\nreplace example.com/lib => ./store\n", "broken"},
	".md":        {"# Other\n"},
	".gitignore": {"", "shapes.ts\n", "/lib/\n*.py\n", "packages/*\n!packages/app\n"},
}

// editor changes a folder at random.
type editor struct {
	dir   string
	names []string // that a file has had; others are never written
}

// step makes one edit and says which.
func (e *editor) step(t *rapid.T) string {
	name := rapid.SampledFrom(e.names).Draw(t, "name")
	file := filepath.Join(e.dir, filepath.FromSlash(name))
	switch rapid.SampledFrom([]string{"write", "write", "append", "delete", "move"}).Draw(t, "edit") {
	case "delete":
		_ = os.Remove(file) // it may be gone already
		return "delete " + name
	case "append":
		old, err := os.ReadFile(file)
		if err != nil {
			return "nothing"
		}
		require.NoError(t, os.WriteFile(file, append(old, '\n'), 0o600))
		return "append to " + name
	case "move":
		to := rapid.SampledFrom(e.names).Draw(t, "to")
		target := filepath.Join(e.dir, filepath.FromSlash(to))
		require.NoError(t, os.MkdirAll(filepath.Dir(target), 0o750))
		_ = os.Rename(file, target) // it may be gone already
		return "move " + name + " to " + to
	default:
		text := rapid.SampledFrom(texts[filepath.Ext(name)]).Draw(t, "text")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return fmt.Sprintf("write %s: %q", name, text)
	}
}

// TestP11_AfterAnyEditsTheGraphIsThatOfACleanIndex keeps one cache over a sequence of edits.
func TestP11_AfterAnyEditsTheGraphIsThatOfACleanIndex(t *testing.T) {
	t.Parallel()
	archive := txtar.Parse([]byte(edited))
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		require.NoError(rt, err)
		e := &editor{dir: dir, names: []string{
			"packages/lib/src/index.js", "packages/app/tsconfig.json", "packages/app/.gitignore", "store/open.go", "packages/lib/src/shapes/index.ts",
		}}
		for _, f := range archive.Files {
			put(t, dir, f.Name, string(f.Data))
			e.names = append(e.names, f.Name)
		}
		cache := codegraph.NewMemoryCache()
		stored := storedParts{}
		stored.write(build(t, dir, codegraph.Options{Cache: cache}))
		done := []string{}
		for range rapid.IntRange(1, 6).Draw(rt, "steps") {
			done = append(done, e.step(rt))
			incremental := build(t, dir, codegraph.Options{Cache: cache})
			clean := build(t, dir, codegraph.Options{Workers: 1})
			require.Equal(rt, listing(t, clean), listing(t, incremental), "after %v", done)
			stored.write(incremental)
			require.Len(rt, incremental.Edges, edgesOf(incremental.Parts()), "every edge begins at a file or a symbol of one")
			require.Equal(rt, clean.Parts(), stored.sorted(), "after %v", done)
		}
	})
}

func TestP11_UnchangedIsNotParsed(t *testing.T) {
	t.Parallel()
	dir, cache := write(t, edited), codegraph.NewMemoryCache()
	first := build(t, dir, codegraph.Options{Cache: cache})
	again := build(t, dir, codegraph.Options{Cache: cache})
	assert.Zero(t, first.Report.Reused)
	assert.Zero(t, again.Report.Parsed)
	assert.Equal(t, first.Report.Parsed, again.Report.Reused)
	assert.Equal(t, first.Digest, again.Digest)
	assert.NotEmpty(t, first.Digest)
	stored := storedParts{}
	stored.write(first)
	plan := again.Plan(stored.states())
	assert.True(t, plan.Empty())
	assert.Equal(t, len(first.Files), plan.Kept)

	put(t, dir, "packages/app/src/util.ts", "export function util() { return 2; }\n")
	changed := build(t, dir, codegraph.Options{Cache: cache})
	assert.Equal(t, 1, changed.Report.Parsed)
	assert.NotEqual(t, first.Digest, changed.Digest)
	plan = changed.Plan(stored.states())
	require.Len(t, plan.Changed, 1)
	assert.Equal(t, "packages/app/src/util.ts", plan.Changed[0].File.Path)
	assert.Empty(t, plan.Fresh)
	assert.Empty(t, plan.Removed)
}

func TestP11_DeletedAndRenamedFilesGoWithTheirNodes(t *testing.T) {
	t.Parallel()
	dir := write(t, edited)
	before := build(t, dir, codegraph.Options{})
	require.NoError(t, os.Rename(filepath.Join(dir, "packages/lib/src/shapes.ts"), filepath.Join(dir, "packages/lib/src/forms.ts")))
	stored := storedParts{}
	stored.write(before)
	plan := build(t, dir, codegraph.Options{}).Plan(stored.states())
	assert.Equal(t, []string{"packages/lib/src/shapes.ts"}, plan.Removed)
	require.Len(t, plan.Fresh, 1)
	assert.Equal(t, "packages/lib/src/forms.ts", plan.Fresh[0].File.Path)
	assert.NotEmpty(t, plan.Changed, "files whose edges ended at what is gone")
}

func edgesOf(parts []*knowledge.CodePart) int {
	n := 0
	for _, p := range parts {
		n += len(p.Edges)
	}
	return n
}

// storedParts are what a store would hold: parts by path.
type storedParts map[string]*knowledge.CodePart

func (s storedParts) states() []knowledge.CodePartState {
	var out []knowledge.CodePartState
	for _, path := range slices.Sorted(maps.Keys(s)) {
		out = append(out, knowledge.CodePartState{Path: path, Hash: s[path].Hash})
	}
	return out
}

// write does what a plan says and nothing else.
func (s storedParts) write(x *codegraph.Index) {
	plan := x.Plan(s.states())
	for _, path := range plan.Removed {
		delete(s, path)
	}
	for _, p := range slices.Concat(plan.Fresh, plan.Changed) {
		s[p.File.Path] = p
	}
}

func (s storedParts) sorted() []*knowledge.CodePart {
	var out []*knowledge.CodePart
	for _, path := range slices.Sorted(maps.Keys(s)) {
		out = append(out, s[path])
	}
	return out
}

// TestP11_ADamagedCacheIsNoCache proves that what a cache lost or broke is made again.
func TestP11_ADamagedCacheIsNoCache(t *testing.T) {
	t.Parallel()
	dir := write(t, edited)
	clean := build(t, dir, codegraph.Options{})
	assert.Equal(t, listing(t, clean), listing(t, build(t, dir, codegraph.Options{Cache: brokenCache{}})))
}

// A cache in a file serves the next process, forgets what nothing uses, and is empty where it is damaged.
func TestP11_ACacheInAFile(t *testing.T) {
	t.Parallel()
	dir, path := write(t, edited), filepath.Join(t.TempDir(), "deep", "cache.facts")
	run := func() (*codegraph.Index, *codegraph.FileCache) {
		cache := codegraph.OpenFileCache(path)
		x := build(t, dir, codegraph.Options{Cache: cache})
		require.NoError(t, cache.Save())
		return x, cache
	}
	clean, _ := run()
	assert.Zero(t, clean.Report.Reused)
	again, _ := run()
	assert.Zero(t, again.Report.Parsed)
	assert.Equal(t, listing(t, clean), listing(t, again))
	size := func() int64 {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Size()
	}
	before := size()
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "packages")))
	run()
	assert.Less(t, size(), before, "what no file needs any more is gone")

	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, damaged := range [][]byte{nil, raw[:40], raw[:len(raw)-1], append([]byte{1}, raw...), bytes.Repeat([]byte{7}, 100)} {
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		x, _ := run()
		assert.Zero(t, x.Report.Reused)
	}
	unwritable := codegraph.OpenFileCache(filepath.Join(dir, "main.go", "cache"))
	build(t, dir, codegraph.Options{Cache: unwritable})
	require.Error(t, unwritable.Save())
}

type brokenCache struct{}

func (brokenCache) Get(string) ([]byte, bool) { return []byte("not what was put"), true }

func (brokenCache) Put(string, []byte) {}
