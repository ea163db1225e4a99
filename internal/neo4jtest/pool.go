package neo4jtest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"mneme/localneo4j"
)

// lockPoll is the time between two attempts to take the lock.
const lockPoll = 100 * time.Millisecond

// keepName is the user that never ends.
const keepName = "keep"

//go:embed keeper.sh
var keeper string

// pool is one shared Neo4j and the folder that says who uses it.
type pool struct {
	dir string
	cfg localneo4j.Config
}

func newPool(dir, cacheDir string) pool {
	return pool{dir: dir, cfg: localneo4j.Config{
		DataDir: filepath.Join(dir, "data"), CacheDir: cacheDir,
		HeapMiB: heapMiB, PageCacheMiB: pageCacheMiB, QuickStart: true,
	}}
}

// member is one user of a pool.
type member struct {
	pid   int  // Neo4j stays up at least as long as this process
	keeps bool // and longer, until a member that does not keep has ended
}

// users is the folder that registers who uses the Neo4j with this PID.
func (p pool) users(serverPID int) string {
	return filepath.Join(p.dir, "users-"+strconv.Itoa(serverPID))
}

// join registers m and returns the running Neo4j, started when there is none.
func (p pool) join(ctx context.Context, m member) (*localneo4j.Server, error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(p.dir, "lock"))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("lock the test database: %w", err)
	}
	defer func() { _ = lock.Close() }()
	for {
		s, err := p.ensure(ctx, m)
		if err != nil {
			return nil, err
		}
		err = p.register(s.PID, m)
		if err == nil {
			return s, nil
		}
		// Its users' folder is gone when a keeper is just ending it, or when the
		// process that started it died before it made one. Either way it is to go.
		if serr := s.Stop(ctx); serr != nil || !errors.Is(err, os.ErrNotExist) {
			return nil, errors.Join(err, serr)
		}
	}
}

// ensure returns the running Neo4j, or starts one: on an empty store, unless m keeps.
func (p pool) ensure(ctx context.Context, m member) (*localneo4j.Server, error) {
	status, err := localneo4j.Inspect(ctx, p.cfg)
	if err != nil {
		return nil, err
	}
	if !status.Running && !m.keeps {
		if err := os.RemoveAll(p.cfg.DataDir); err != nil {
			return nil, err
		}
	}
	s, err := localneo4j.Ensure(ctx, p.cfg)
	if err != nil || !s.Started {
		return s, err
	}
	old, err := filepath.Glob(filepath.Join(p.dir, "users-*"))
	if err != nil {
		return nil, err
	}
	for _, dir := range old {
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
	return s, os.Mkdir(p.users(s.PID), 0o700)
}

// register enters m as a user. A new user that does not keep brings a keeper
// along: one is enough, and more do no harm. The error is os.ErrNotExist when
// the server takes no more users.
func (p pool) register(serverPID int, m member) error {
	users := p.users(serverPID)
	isNew, err := enter(users, strconv.Itoa(m.pid))
	if err != nil {
		return err
	}
	if m.keeps {
		_, err := enter(users, keepName)
		return err
	}
	if err := os.Remove(filepath.Join(users, keepName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if !isNew {
		return nil
	}
	return startKeeper(users, serverPID)
}

// enter makes the file of a user; isNew is false when there was one.
func enter(users, name string) (isNew bool, err error) {
	f, err := os.OpenFile(filepath.Join(users, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// startKeeper leaves a process behind that outlives this one and `go test`. It
// holds none of their pipes, for which `go test` would wait.
func startKeeper(users string, serverPID int) error {
	cmd := exec.Command("sh", "-c", keeper, "mneme-test-neo4j-keeper", users, strconv.Itoa(serverPID))
	cmd.Dir = filepath.Dir(users)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the keeper of the test database: %w", err)
	}
	return cmd.Process.Release()
}
