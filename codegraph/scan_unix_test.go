//go:build unix

package codegraph_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/codegraph"
	"mneme/knowledge"
)

// What cannot be stored or printed as text is left out and counted.
func TestP9_NamesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- a.ts --\n-- größe.ts --\n")
	put(t, dir, "bad\xff.ts", "export const a = 1;\n")
	put(t, dir, "bad\xfe/b.ts", "export const b = 1;\n")
	x := build(t, dir, codegraph.Options{})
	assert.Equal(t, []string{"a.ts", "größe.ts"}, paths(x))
	assert.Equal(t, 2, x.Report.Left[codegraph.LeftBadName])
}

// Roots let through what is below one of them, by whatever way, and nothing else.
func TestP9_Roots(t *testing.T) {
	t.Parallel()
	root, other, outside := write(t, "-- in/a.ts --\n"), write(t, "-- second/a.ts --\n"), write(t, "-- a.ts --\n")
	require.NoError(t, os.Symlink(outside, filepath.Join(root, "out")))
	require.NoError(t, os.Symlink(filepath.Join(root, "in"), filepath.Join(root, "way")))
	roots := codegraph.Roots{root, filepath.Join(root, "missing"), other}
	for path, want := range map[string]string{
		"": root, ".": root, "in": filepath.Join(root, "in"), "way": filepath.Join(root, "in"), filepath.Join(root, "in"): filepath.Join(root, "in"),
		"second": filepath.Join(other, "second"), other: other, "in/../in": filepath.Join(root, "in"),
	} {
		got, err := roots.Resolve(path)
		require.NoError(t, err, path)
		assert.Equal(t, want, got, path)
	}
	for _, path := range []string{"..", "out", outside, root + "x", "/", "in/a.ts", "nothing", "\x00", "in/../../" + filepath.Base(outside), "/dev/null"} {
		_, err := roots.Resolve(path)
		assert.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err), path)
	}
	_, err := codegraph.Roots{}.Resolve(root)
	assert.Equal(t, knowledge.CodeForbidden, knowledge.CodeOf(err))
}

func TestP9_APipeIsNotOpened(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- a.ts --\n")
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.ts"), 0o600))
	x := build(t, dir, codegraph.Options{})
	assert.Equal(t, []string{"a.ts"}, paths(x))
	assert.Equal(t, 1, x.Report.Left[codegraph.LeftSpecial])
}
