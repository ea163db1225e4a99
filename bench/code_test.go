package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/codegraph"
)

func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return dir
}

func TestP13_ScoreOfTypeScript(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{
		"a.ts":       "import B from './b'; import './c'; export class A extends B {}\nexport { x } from 'outside';",
		"b.ts":       "export default class Named {}",
		"c.ts":       "",
		"build/d.ts": "export const d = 1;",
	})
	s, err := Code(t.Context(), dir, strings.NewReader(`{
		"edges": [["a.ts", "b.ts", ["import"]], ["a.ts", "missing.ts", ["import"]], ["build/d.ts", "b.ts", ["import"]]],
		"heritage": ["a.ts\tA\tEXTENDS\tb.ts\tdefault"],
		"exports": {"a.ts": ["A", "x"], "b.ts": ["default"], "build/d.ts": ["d"]}}`))
	require.NoError(t, err)
	assert.InDeltaMapValues(t, map[string]float64{"IMPORTS_FILE": 2.0 / 3, "EXPORTS_SYMBOL": 1, "EXTENDS": 1, "IMPLEMENTS": 1}, s.F1, 1e-9)
	assert.Equal(t, []string{"a.ts\tc.ts"}, s.Extra["IMPORTS_FILE"])
	assert.Equal(t, []string{"build/d.ts", "missing.ts"}, s.LeftOut, "what is never indexed is not scored, and named")
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"missing":{"EXPORTS_SYMBOL":[]`)
}

func TestP13_ScoreOfGo(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{
		"go.mod":         "module m\n",
		"a/a.go":         "package a\n\nimport \"m/b\"\n\ntype A struct{ b.B }\n\ntype G[T any] struct{ b.B }\n\nvar X = b.Y\n",
		"b/b.go":         "package b\n\ntype B struct{}\n\nfunc (B) Do() {}\n\ntype I interface{ Do() }\n\nvar Y = 1\n",
		"b/b_windows.go": "package b\n\nvar Y = 2\n",
	})
	s, err := Code(t.Context(), dir, strings.NewReader(`{
		"importPkg": ["a/a.go\tm/b"], "uses": ["a/a.go\tb/b.go"], "embeds": ["a/a.go#A\tb/b.go#B"],
		"implementsVisible": ["a/a.go#A\tb/b.go#I", "b/b.go#B\tb/b.go#I", "a/a.go#Missing\tb/b.go#I"],
		"symbols": ["a/a.go#A", "b/b.go#B"]}`))
	require.NoError(t, err)
	assert.InDeltaMapValues(t, map[string]float64{"IMPORTS_PACKAGE": 1, "USES": 1, "EMBEDS": 1, "IMPLEMENTS": 0.8}, s.F1, 1e-9)
	assert.Equal(t, []string{"a/a.go#Missing\tb/b.go#I"}, s.Missing["IMPLEMENTS"])
}

func TestP13_OtherFilesAreNoOracles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{}", "[1]", `{"edges": 1}`} {
		_, err := Code(t.Context(), t.TempDir(), strings.NewReader(text))
		require.ErrorIs(t, err, ErrNoOracle, text)
	}
	_, err := Code(t.Context(), filepath.Join(t.TempDir(), "missing"), strings.NewReader(`{"exports": {}}`))
	require.ErrorIs(t, err, codegraph.ErrNotAFolder)
}
