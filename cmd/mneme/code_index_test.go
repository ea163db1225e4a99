package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func indexed(t *testing.T, env environment, key string, args ...string) codeIndexReport {
	t.Helper()
	out := runMneme(t, env, "", append([]string{"code", "index", "--json", "--workspace", key}, args...)...)
	require.Equal(t, exitDone, out.status, out.stderr)
	return fromJSON[codeIndexReport](t, out.stdout)
}

// exported is the stored graph as text.
func exported(t *testing.T, env environment, key string, args ...string) string {
	t.Helper()
	out := runMneme(t, env, "", append([]string{"code", "export", "--json", "--workspace", key}, args...)...)
	require.Equal(t, exitDone, out.status, out.stderr)
	return out.stdout
}

func TestP12_CodeIndexSearchNeighborsExport(t *testing.T) {
	t.Parallel()
	env, key, dir := testEnvironment(t), freshKey(), source(t)
	r := indexed(t, env, key, dir, "--repository", "cars")
	assert.Equal(t, "cars", r.Repository)
	assert.Equal(t, 2, r.Files)
	assert.Equal(t, 2, r.Symbols)
	assert.Equal(t, 1, r.Edges["EXTENDS"])
	assert.Equal(t, 2, r.Fresh)
	again := indexed(t, env, key, dir, "--repository", "cars")
	assert.Equal(t, 2, again.Kept)
	assert.Zero(t, again.Fresh+again.Changed+again.Removed)
	assert.Equal(t, r.Edges, again.Edges, "the result is said again")

	clean := runMneme(t, env, "", "code", "export", dir, "--json")
	assert.Equal(t, clean.stdout, exported(t, env, key), "P11 byte for byte")
	assert.Equal(t, clean.stdout, exported(t, env, key, "--repository", "cars"))
	out := runMneme(t, env, "", "code", "export", "--workspace", key, "--repository", "other")
	assert.Equal(t, exitInput, out.status)
	assert.Contains(t, out.stderr, "NOT_FOUND")

	out = runMneme(t, env, "", "code", "search", "engine", "--workspace", key, "--json", "--kind", "class")
	require.Equal(t, exitDone, out.status, out.stderr)
	hits := fromJSON[[]struct {
		Name, Path, Kind string
		Line             int
	}](t, out.stdout)
	require.NotEmpty(t, hits)
	assert.Equal(t, "Engine", hits[0].Name)
	assert.Equal(t, "engine.ts", hits[0].Path)
	out = runMneme(t, env, "", "code", "search", "engine", "--workspace", key)
	assert.Contains(t, out.stdout, "engine.ts:1")
	out = runMneme(t, env, "", "code", "search", "engine", "--workspace", key, "--kind", "thing")
	assert.Equal(t, exitInput, out.status)

	entity := fileOf(t, `{"type": "concept", "name": "Engine"}`)
	out = runMneme(t, env, "", "import", "graph", entity, "--workspace", key)
	require.Equal(t, exitDone, out.status, out.stderr)
	out = runMneme(t, env, "", "code", "neighbors", "engine", "--workspace", key, "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	near := fromJSON[struct{ Nodes []codeNeighbor }](t, out.stdout)
	require.Len(t, near.Nodes, 1, "P15")
	assert.Equal(t, "car.ts", near.Nodes[0].Path)
	assert.Equal(t, "Car", near.Nodes[0].Symbols[0].Name)
	out = runMneme(t, env, "", "code", "neighbors", "Engine", "--workspace", key)
	assert.Contains(t, out.stdout, "car.ts")
	out = runMneme(t, env, "", "code", "neighbors", "nobody", "--workspace", key)
	assert.Equal(t, exitInput, out.status)
}

func TestP9_CodeIndexOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	env, key, dir := testEnvironment(t), freshKey(), source(t)
	for _, path := range []string{filepath.Join(dir, "missing"), filepath.Join(dir, "car.ts"), "/dev/null"} {
		out := runMneme(t, env, "", "code", "index", path, "--workspace", key)
		assert.Equal(t, exitInput, out.status, path)
		assert.Contains(t, out.stderr, "INVALID_INPUT")
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tsconfig.json"), []byte("{"), 0o600))
	out := runMneme(t, env, "", "code", "index", dir, "--workspace", key)
	assert.Equal(t, exitPartly, out.status, out.stderr)
	assert.Contains(t, out.stderr, "tsconfig.json: settings that cannot be read")
	assert.Contains(t, out.stdout, "1 could not be read")
}

// A run that is killed at any moment is completed by the next one.
func TestP11_CodeIndexKilled(t *testing.T) {
	t.Parallel()
	env, key, dir := testEnvironment(t), freshKey(), t.TempDir()
	for i := range 400 {
		var b strings.Builder
		for j := range 12 {
			fmt.Fprintf(&b, "export function f%d_%d(): void { f%d_%d() }\n", i, j, i, (j+1)%12)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("m%d.ts", i)), []byte(fmt.Sprintf("import './m%d';\n", i/2)+b.String()), 0o600))
	}
	out := runMneme(t, env, "", "workspace", "create", key)
	require.Equal(t, exitDone, out.status, out.stderr)
	for _, after := range []time.Duration{300 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second} {
		cmd := start(t, env, "code", "index", dir, "--workspace", key, "--repository", "big")
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may have ended
		_ = cmd.Wait()
		timer.Stop()
	}
	indexed(t, env, key, dir, "--repository", "big") // waits until the dead run's hold ends
	clean := runMneme(t, env, "", "code", "export", dir, "--json")
	assert.Equal(t, clean.stdout, exported(t, env, key))
}

func TestP11_CodeIndexWatch(t *testing.T) {
	t.Parallel()
	env, key, dir := testEnvironment(t), freshKey(), source(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	stdout, stderr, ended := newWatchedBuffer(), newWatchedBuffer(), make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"code", "index", dir, "--watch", "--workspace", key}, strings.NewReader(""), stdout, stderr, env.get)
	}()
	stderr.await(t, ended, "(watching)")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.ts"), []byte("import { Car } from './car';\n"), 0o600))
	stdout.await(t, ended, "(1 new, 0 changed)")
	require.NoError(t, os.Remove(filepath.Join(dir, "fleet.ts")))
	stdout.await(t, ended, "(0 new, 0 changed, 1 removed)")
	stop()
	assert.Equal(t, exitDone, <-ended)
	clean := runMneme(t, env, "", "code", "export", dir, "--json")
	assert.Equal(t, clean.stdout, exported(t, env, key))
}
