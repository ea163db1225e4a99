package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func source(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "engine.ts"), []byte("export class Engine {}\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "car.ts"), []byte("import { Engine } from './engine';\nexport class Car extends Engine {}\n"), 0o600))
	return dir
}

func command(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), args, &bytes.Buffer{}, &out, &errs, func(string) string { return "" })
	return status, out.String(), errs.String()
}

func TestP2_CodeExportNeedsNoDatabase(t *testing.T) {
	t.Parallel()
	dir := source(t)
	status, first, _ := command(t, "code", "export", dir, "--json")
	require.Equal(t, exitDone, status)
	_, second, _ := command(t, "code", "export", dir, "--json")
	assert.Equal(t, first, second, "byte for byte the same")
	var graph struct {
		Files []struct {
			Path, Language string
		}
		Symbols []struct {
			Path, QualifiedName, Kind string
			Exported                  bool
			Line                      int
		}
		Edges []struct {
			Type, From, To, Resolution string
			TypeOnly                   *bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(first), &graph))
	assert.Len(t, graph.Files, 2)
	assert.Len(t, graph.Symbols, 2)
	assert.Equal(t, "EXTENDS", graph.Edges[4].Type)
	assert.Equal(t, "car.ts#Car", graph.Edges[4].From)
	assert.Equal(t, "engine.ts#Engine", graph.Edges[4].To)
	assert.NotNil(t, graph.Edges[4].TypeOnly)

	status, table, _ := command(t, "code", "export", dir)
	require.Equal(t, exitDone, status)
	assert.Contains(t, table, "IMPORTS_FILE")
}

func TestP10_CodeExportSaysWhatItCouldNotRead(t *testing.T) {
	t.Parallel()
	dir := source(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tsconfig.json"), []byte("{"), 0o600))
	status, _, stderr := command(t, "code", "export", dir)
	assert.Equal(t, exitPartly, status)
	assert.Contains(t, stderr, "tsconfig.json: settings that cannot be read")
	status, _, stderr = command(t, "code", "export", filepath.Join(dir, "missing"))
	assert.Equal(t, exitInput, status)
	assert.Contains(t, stderr, "INVALID_INPUT")
}

func TestP13_BenchCode(t *testing.T) {
	t.Parallel()
	oracle := filepath.Join(t.TempDir(), "oracle.json")
	require.NoError(t, os.WriteFile(oracle, []byte(`{"edges": [["car.ts", "engine.ts", ["import"]]], "heritage": ["car.ts\tCar\tEXTENDS\tengine.ts\tEngine"], "exports": {"car.ts": ["Car"], "engine.ts": ["Engine"]}}`), 0o600))
	dir := source(t)
	status, stdout, _ := command(t, "bench", "code", "--repo", dir, "--oracle", oracle, "--json")
	require.Equal(t, exitDone, status)
	var result struct{ F1 map[string]float64 }
	require.NoError(t, json.Unmarshal([]byte(stdout), &result))
	assert.Equal(t, map[string]float64{"IMPORTS_FILE": 1, "EXPORTS_SYMBOL": 1, "EXTENDS": 1, "IMPLEMENTS": 1}, result.F1)
	for _, args := range [][]string{{"--repo", dir}, {"--oracle", oracle}, {"--repo", dir, "--oracle", filepath.Join(dir, "car.ts")}, {"--repo", oracle, "--oracle", oracle}} {
		status, _, _ = command(t, append([]string{"bench", "code"}, args...)...)
		assert.Equal(t, exitInput, status, args)
	}
}
