package codegraph_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mneme/codegraph"
)

// FuzzP10_AnySourceIsIndexed proves that no contents of any language or settings file end a run.
func FuzzP10_AnySourceIsIndexed(f *testing.F) {
	names := []string{"m.ts", "m.tsx", "m.js", "m.go", "m.py", "tsconfig.json", "package.json", "go.mod", "go.work", "pnpm-workspace.yaml", ".gitignore"}
	for i, text := range []string{
		"import { a as b, type c } from './x'; export default class extends b.c<d> { m() { this.n(require('y')) } }",
		"export const x = <A.B {...c}>{d}</A.B>;",
		"const { a, b: [c] = d } = require('./m'); module.exports = { a, c() {}, ...e };",
		"package m\n\nimport . \"m/x\"\n\ntype T[P any] struct{ *T[P]; U }\n\nfunc (t *T[P]) F() { t.F() }",
		"from . import *\nclass A(b.C[d], metaclass=e):\n    def f(self, *a, **k): return lambda x=a: self.f\n",
		`{"extends": ["./tsconfig", 1], "files": [], "references": [{"path": "."}], "compilerOptions": {"paths": {"*": ["*"]}, "rootDirs": [".."]}, }`,
		`{"name": "m", "exports": {".": [null, {"import": "./m"}], "./*/": "./*"}, "imports": {"#a": "m"}, "workspaces": ["**", "!*"]}`,
		"module m\n\nreplace m => ./.\n",
		"use .\nreplace a => ../..\n",
		"packages: [\"**\", \"!{}\"]\n",
		"!**/[\n\\",
	} {
		f.Add(uint8(i), []byte(text))
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		dir := t.TempDir()
		for _, name := range []string{"m.ts", "m.go", "go.mod", "package.json", "tsconfig.json"} {
			put(t, dir, name, "")
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, names[int(which)%len(names)]), text, 0o600))
		_, err := codegraph.Build(t.Context(), dir, codegraph.Options{})
		require.NoError(t, err)
	})
}
