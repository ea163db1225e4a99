package localneo4j

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockPoll = 100 * time.Millisecond
	// tailBytes of a log go into an error.
	tailBytes = 2000
	// privateDir and privateFile keep other users of the machine out.
	privateDir, privateFile = 0o700, 0o600
)

// home is Neo4j's folder below the data folder. Its methods know where things are in it.
type home string

func (h home) path(elem ...string) string {
	return filepath.Join(append([]string{string(h)}, elem...)...)
}

func (h home) passwordFile() string { return h.path("password") }
func (h home) recordFile() string   { return h.path("server.json") }
func (h home) confDir() string      { return h.path("conf") }
func (h home) logDir() string       { return h.path("logs") }
func (h home) userLog() string      { return h.path("logs", "neo4j.log") }

// consoleLog takes what the process prints besides its logs: the Java runtime's own complaints.
func (h home) consoleLog() string { return h.path("logs", "console.log") }

// systemStore exists once Neo4j ran here; from then on the password is in the store.
func (h home) systemStore() string { return h.path("data", "databases", "system") }

// record is what server.json holds: the process that runs, or, with PID 0, where the last one ran.
type record struct {
	Version string `json:"version"`
	PID     int    `json:"pid"`
	// ProcessStart tells this process from a later one with the same PID.
	ProcessStart string    `json:"processStart"`
	BoltPort     int       `json:"boltPort"`
	HTTPPort     int       `json:"httpPort"`
	StartedAt    time.Time `json:"startedAt"`
}

func (r record) process() process   { return process{pid: r.PID, start: r.ProcessStart} }
func (r record) uri() string        { return fmt.Sprintf("bolt://127.0.0.1:%d", r.BoltPort) }
func (r record) httpURL() string    { return fmt.Sprintf("http://127.0.0.1:%d", r.HTTPPort) }
func (r record) browserURL() string { return r.httpURL() + "/browser/" }

// lock creates the folder when it is missing and serialises starting and stopping among processes.
func (h home) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(string(h), privateDir); err != nil {
		return nil, dataDirError(err)
	}
	l := flock.New(h.path("lock"))
	if _, err := l.TryLockContext(ctx, lockPoll); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, dataDirError(err)
	}
	return func() { _ = l.Close() }, nil
}

func dataDirError(err error) error {
	return fmt.Errorf("%w: %w (MNEME_DATA_DIR names another one)", ErrDataDir, err)
}

// readRecord returns the zero record when there is none, or none that can be read; the latter with an error.
func (h home) readRecord() (record, error) {
	raw, err := os.ReadFile(h.recordFile())
	if errors.Is(err, os.ErrNotExist) {
		return record{}, nil
	}
	if err != nil {
		return record{}, dataDirError(err)
	}
	var r record
	if err := json.Unmarshal(raw, &r); err != nil {
		return record{}, fmt.Errorf("%s is unreadable: %w", h.recordFile(), err)
	}
	return r, nil
}

func (h home) writeRecord(r record) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return writeAtomically(h.recordFile(), raw)
}

// ensurePassword returns the recorded password, or makes one for a store that does not exist yet.
func (h home) ensurePassword() (string, error) {
	password, err := h.readPassword()
	if err == nil {
		return password, nil
	}
	if _, serr := os.Stat(h.systemStore()); !errors.Is(serr, os.ErrNotExist) || !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	password = rand.Text()
	if err := writeAtomically(h.passwordFile(), []byte(password+"\n")); err != nil {
		return "", dataDirError(err)
	}
	return password, nil
}

// readPassword also takes the file away from other users, should its mode have been widened.
func (h home) readPassword() (string, error) {
	raw, err := os.ReadFile(h.passwordFile())
	if err != nil {
		return "", fmt.Errorf("%w: %w; put the file back, or remove %s to begin anew", ErrPassword, err, h)
	}
	if err := os.Chmod(h.passwordFile(), privateFile); err != nil {
		return "", dataDirError(err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// stop ends p when it is still alive, and records that nothing runs.
func (h home) stop(ctx context.Context, log *slog.Logger, p process) error {
	if !p.alive() {
		return nil
	}
	unlock, err := h.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	killed, err := p.end(ctx)
	if err != nil {
		return fmt.Errorf("stop the local Neo4j: %w", err)
	}
	if killed {
		log.WarnContext(ctx, "local Neo4j did not stop in time and was killed", slog.Int("pid", p.pid))
	}
	r, err := h.readRecord()
	if err != nil || r.process() != p {
		return err
	}
	r.PID, r.ProcessStart = 0, ""
	if err := h.writeRecord(r); err != nil {
		return dataDirError(err)
	}
	log.InfoContext(ctx, "local Neo4j stopped", slog.Int("pid", p.pid))
	return nil
}

// logSize is an offset for logTail: what is logged later stands behind it.
func (h home) logSize() int64 {
	info, err := os.Stat(h.userLog())
	if err != nil {
		return 0
	}
	return info.Size()
}

// logTail returns the end of what Neo4j logged after offset, and of what its process printed.
func (h home) logTail(offset int64) string {
	texts := []string{tail(h.userLog(), offset), tail(h.consoleLog(), 0)}
	return strings.TrimSpace(strings.Join(texts, "\n")) + "\n(more in " + h.logDir() + ")"
}

func tail(path string, offset int64) string {
	f, err := os.Open(path) //nolint:gosec // a log of ours
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	if offset > info.Size() { // the log was rolled over
		offset = 0
	}
	raw, err := io.ReadAll(io.NewSectionReader(f, max(offset, info.Size()-tailBytes), tailBytes))
	if err != nil {
		return ""
	}
	return string(bytes.ToValidUTF8(bytes.TrimSpace(raw), nil))
}

// writeAtomically leaves either the old or the new file, readable by its owner only.
func writeAtomically(path string, content []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(content); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Sync(); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
