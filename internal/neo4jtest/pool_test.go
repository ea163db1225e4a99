package neo4jtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"mneme/localneo4j"
)

// run is a process that stands for a `go test`.
func run(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sleep", "600")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { end(cmd) })
	return cmd
}

// end is a `go test` that was killed, the hardest of its ends.
func end(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// requireGone waits until the server has ended by itself.
func requireGone(t *testing.T, s *localneo4j.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.ErrorIs(t, s.Watch(ctx), localneo4j.ErrExited)
}

// ownPool is a pool apart from the one that this process itself uses.
func ownPool(t *testing.T) pool {
	t.Helper()
	common, err := sharedPool()
	require.NoError(t, err)
	p := newPool(t.TempDir(), common.cfg.CacheDir)
	p.cfg.HeapMiB = 256
	t.Cleanup(func() {
		if err := localneo4j.Stop(context.Background(), p.cfg); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return p
}

func TestPool_FirstStartsLastEnds(t *testing.T) {
	t.Parallel()
	p := ownPool(t)
	first, second := run(t), run(t)

	servers := make([]*localneo4j.Server, 4) // two packages of each run, at once
	g, ctx := errgroup.WithContext(t.Context())
	for i := range servers {
		g.Go(func() (err error) {
			m := member{pid: first.Process.Pid}
			if i%2 == 1 {
				m.pid = second.Process.Pid
			}
			servers[i], err = p.join(ctx, m)
			return err
		})
	}
	require.NoError(t, g.Wait())
	s := servers[0]
	for _, other := range servers {
		require.Equal(t, s.PID, other.PID, "all share one")
	}
	kept := filepath.Join(p.cfg.DataDir, "of-this-start")
	require.NoError(t, os.WriteFile(kept, nil, 0o600))

	end(first)
	forgotten := filepath.Join(p.users(s.PID), strconv.Itoa(first.Process.Pid))
	require.Eventually(t, func() bool { _, err := os.Stat(forgotten); return err != nil }, time.Minute, 50*time.Millisecond)
	status, err := localneo4j.Inspect(t.Context(), p.cfg)
	require.NoError(t, err)
	require.True(t, status.Ready, "the second run still uses it")

	end(second)
	requireGone(t, s)

	third := run(t)
	again, err := p.join(t.Context(), member{pid: third.Process.Pid})
	require.NoError(t, err)
	require.True(t, again.Started)
	require.NoFileExists(t, kept, "a fresh start begins with an empty store")
	end(third)
	requireGone(t, again)
}

func TestPool_KeepLeavesItUp(t *testing.T) {
	t.Parallel()
	p := ownPool(t)
	keeping := run(t)
	s, err := p.join(t.Context(), member{pid: keeping.Process.Pid, keeps: true})
	require.NoError(t, err)
	end(keeping)

	next := run(t)
	again, err := p.join(t.Context(), member{pid: next.Process.Pid})
	require.NoError(t, err)
	require.Equal(t, s.PID, again.PID, "the next run finds it")
	end(next)
	requireGone(t, s) // the next run did not keep it
}

// A server that takes no more users, because its keeper is ending it or its starter died, is replaced.
func TestPool_ReplacesOneThatIsClosing(t *testing.T) {
	t.Parallel()
	p := ownPool(t)
	user := run(t)
	s, err := p.join(t.Context(), member{pid: user.Process.Pid, keeps: true})
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(p.users(s.PID)))

	again, err := p.join(t.Context(), member{pid: user.Process.Pid})
	require.NoError(t, err)
	require.NotEqual(t, s.PID, again.PID)
	require.DirExists(t, p.users(again.PID))
	end(user)
	requireGone(t, again)
}

func TestWorkspace_IsFreshAndHyphenFree(t *testing.T) {
	t.Parallel()
	a, b := Workspace(t), Workspace(t)
	require.NotEqual(t, a, b)
	require.Regexp(t, `^ws_[0-9a-z]{26}$`, a)
}
