//go:build unix

package codegraph_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/codegraph"
)

func TestP9_APipeIsNotOpened(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- a.ts --\n")
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.ts"), 0o600))
	x := build(t, dir, codegraph.Options{})
	assert.Equal(t, []string{"a.ts"}, paths(x))
	assert.Equal(t, 1, x.Report.Left[codegraph.LeftSpecial])
}
