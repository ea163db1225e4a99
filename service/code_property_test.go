package service_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// repositoryCopy copies source of this repository, and adds what has other languages and settings.
func (b *codeBundle) repositoryCopy(t *testing.T, folders ...string) []string {
	t.Helper()
	var names []string
	root := os.DirFS("..")
	for _, folder := range folders {
		require.NoError(t, fs.WalkDir(root, folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			raw, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			names = append(names, name)
			path := filepath.Join(b.dir, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
			return os.WriteFile(path, raw, 0o600)
		}))
	}
	return names
}

// mixed is what a repository holds besides Go.
const mixed = `
-- tsconfig.json --
{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}
-- src/index.ts --
export * from './shapes';
export { default as Main } from './main';
-- src/shapes.ts --
export class Shape {}
export interface Sized { size: number }
-- src/main.ts --
import { Shape, type Sized } from '@/index';
export default class Main extends Shape implements Sized { size = 1 }
-- py/base.py --
class Base: pass
-- py/cart.py --
from py.base import Base
class Cart(Base): pass
`

// P11, the law, through the store: after any sequence of adds, edits, renames, deletes and changes of settings the
// stored graph is that of a clean index, byte for byte when exported.
func TestP11_AfterAnyEditsTheStoredGraphIsThatOfACleanIndex(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			b := withCode(t, mixed)
			names := b.repositoryCopy(t, "knowledge/id.go", "knowledge/error.go", "knowledge/code.go", "knowledge/actor.go", "ingest", "go.mod")
			names = append(names, "tsconfig.json", "src/index.ts", "src/shapes.ts", "src/main.ts", "py/base.py", "py/cart.py", "src/new/index.ts", ".gitignore")
			random := rand.New(rand.NewPCG(seed, 11))
			b.index(t)
			var done []string
			for range 12 {
				for range 1 + random.IntN(4) {
					done = append(done, b.edit(t, random, names))
				}
				b.index(t)
				b.sameAsClean(t, t.Context(), b.clean(t), "after %v", done)
			}
		})
	}
}

// edit makes one change at random and says which.
func (b *codeBundle) edit(t *testing.T, random *rand.Rand, names []string) string {
	t.Helper()
	name := names[random.IntN(len(names))]
	path := filepath.Join(b.dir, filepath.FromSlash(name))
	old, err := os.ReadFile(path)
	write := func(what, text string) string {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return what + " " + name
	}
	switch kind := random.IntN(6); {
	case kind == 0:
		_ = os.Remove(path) // it may be gone already
		return "remove " + name
	case kind == 1:
		to := names[random.IntN(len(names))]
		target := filepath.Join(b.dir, filepath.FromSlash(to))
		require.NoError(t, os.MkdirAll(filepath.Dir(target), 0o750))
		_ = os.Rename(path, target) // it may be gone already
		return "move " + name + " to " + to
	case err != nil:
		return write("add", map[string]string{".ts": "export * from './main';\nexport class Shape {}\n", ".go": "package ingest\n\nfunc Added() {}\n", ".gitignore": "*.py\n"}[filepath.Ext(name)])
	case kind == 2:
		lines := strings.SplitAfter(string(old), "\n")
		cut := random.IntN(len(lines))
		return write("cut", strings.Join(append(lines[:cut:cut], lines[min(len(lines), cut+1+random.IntN(5)):]...), ""))
	case kind == 3:
		return write("comment above", map[bool]string{true: "# above\n", false: "// above\n"}[strings.HasSuffix(name, ".py")]+string(old))
	default:
		return write("append", string(old)+map[string]string{".ts": "export function extra() { return 1 }\n", ".go": "\nfunc extra() { extra() }\n", ".py": "class Extra(Base): pass\n"}[filepath.Ext(name)])
	}
}
