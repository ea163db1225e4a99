package codegraph_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/codegraph"
)

// watcher runs Watch and hands out its calls one by one.
type watcher struct {
	calls chan struct{}
	done  chan error
}

func watch(t *testing.T, ctx context.Context, dir string) *watcher { //nolint:revive // the test comes first everywhere
	t.Helper()
	w := &watcher{calls: make(chan struct{}), done: make(chan error, 1)}
	go func() {
		w.done <- codegraph.Watch(ctx, dir, codegraph.WatchOptions{Quiet: 20 * time.Millisecond, MaxWait: 200 * time.Millisecond}, func(ctx context.Context) error {
			select {
			case w.calls <- struct{}{}:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	<-w.calls
	return w
}

func TestP11_WatchTellsOfChanges(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	dir := write(t, "-- a.ts --\nexport const a = 1;\n-- node_modules/x/index.js --\n1\n")
	w := watch(t, ctx, dir)
	put(t, dir, "a.ts", "export const b = 1;\n")
	<-w.calls
	put(t, dir, "deep/er/b.ts", "export const b = 1;\n")
	<-w.calls // the folder is new
	put(t, dir, "deep/er/b.ts", "export const c = 1;\n")
	<-w.calls // and watched by now
	require.NoError(t, os.Rename(filepath.Join(dir, "deep", "er"), filepath.Join(dir, "deep", "est")))
	<-w.calls
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "deep")))
	<-w.calls
	stop()
	assert.NoError(t, <-w.done)
}

func TestP11_WatchEndsWithTheFolderOrAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	err := codegraph.Watch(t.Context(), t.TempDir(), codegraph.WatchOptions{}, func(context.Context) error { return broken })
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, codegraph.Watch(t.Context(), filepath.Join(t.TempDir(), "missing"), codegraph.WatchOptions{}, nil), codegraph.ErrNotAFolder)
	dir := filepath.Join(t.TempDir(), "root")
	require.NoError(t, os.Mkdir(dir, 0o750))
	w := watch(t, t.Context(), dir)
	require.NoError(t, os.Remove(dir))
	require.ErrorIs(t, <-w.done, codegraph.ErrNotAFolder)
}
