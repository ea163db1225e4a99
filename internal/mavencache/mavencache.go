// Package mavencache fills a folder with Maven artifacts, once, and keeps it
// whole: the machine's own mvn fetches what a pom.xml names, into a temporary
// folder beside the final one that is renamed when it is complete. A manifest
// in the folder records every file with its SHA-256, so that a damaged file is
// found at the next use and the folder is fetched again. A whole folder needs
// neither mvn nor a network.
//
//	absent ──fetch──▶ temporary folder ──manifest, rename──▶ whole
//	whole ──a file missing, changed or added──▶ damaged ──fetch──▶ whole
package mavencache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// The ways in which a fetch fails that a user can do something about. They are
// to be compared with errors.Is; the error's text says what to do.
var (
	// ErrNoMaven means that there is no mvn on PATH.
	ErrNoMaven = errors.New("Maven is not installed (no mvn on PATH): install it with `apt-get install maven`, `dnf install maven` or `brew install maven`") //nolint:staticcheck // a product's name
	// ErrNoJava means that mvn has no Java to run on.
	ErrNoJava = errors.New("Java is not installed (no java on PATH, JAVA_HOME not set): install a JDK, version 17 or newer, with `apt-get install openjdk-17-jdk-headless`, `dnf install java-17-openjdk-devel` or `brew install openjdk`") //nolint:staticcheck // a product's name
	// ErrNoSpace means that the disk of the cache folder, or of Maven's own repository, is full.
	ErrNoSpace = errors.New("no space left on the disk")
	// ErrFetch means that mvn could not fetch what the pom.xml names; the
	// error's text ends with the last lines that mvn wrote.
	ErrFetch = errors.New("mvn could not fetch the files")
	// ErrDamaged means that a folder is not as its manifest says.
	ErrDamaged = errors.New("damaged cache folder")
)

// lockPoll is the time between two attempts to take a lock that another process holds.
const lockPoll = 100 * time.Millisecond

// Request says what to fetch and where to.
type Request struct {
	// Dir is the folder that holds the files in the end. Whatever stands in
	// its place without a valid manifest is replaced.
	Dir string
	// Pom is the pom.xml whose dependencies are copied into Dir. A changed Pom
	// makes a folder fetched with another one count as damaged.
	Pom []byte
	// Transitive asks for the dependencies of the dependencies too.
	Transitive bool
	// Prepare, when set, runs on the temporary folder once mvn has filled it
	// and before the manifest is made: it may unpack, check and remove files.
	// Its error ends the fetch. The manifest records what it leaves behind.
	Prepare func(ctx context.Context, dir string) error
	// SizeBytes is about how many bytes will be downloaded. It serves the
	// progress only; 0 means not known.
	SizeBytes int64
	// Progress, when set, is told how the fetch goes on, from one goroutine at
	// a time. It is not called when Dir is whole already.
	Progress func(Progress)
}

// Stage is a part of a fetch.
type Stage string

// The stages of a fetch, in their order. Not each of them occurs every time.
const (
	StageWaiting     Stage = "waiting"     // another process is fetching the same folder
	StageRepairing   Stage = "repairing"   // the folder is damaged; Detail says how
	StageDownloading Stage = "downloading" // mvn runs; Files and Bytes grow
	StageChecking    Stage = "checking"    // the files are prepared and their manifest is made
	StageDone        Stage = "done"        // the folder is whole
)

// Progress is one report about a running fetch.
type Progress struct {
	Stage      Stage
	Detail     string // for people; may be empty
	Files      int    // downloaded so far; what is in Maven's own repository already is not downloaded
	Bytes      int64  // downloaded so far, at most TotalBytes when that is known
	TotalBytes int64  // Request.SizeBytes
}

// Fetch returns nil when r.Dir is whole: because it was (then nothing is run
// and nothing is written), because this call fetched it, or because another
// process did while this one waited. Any number of processes may call it for
// the same folder at once. On an error, which is one of this package's Err…
// or the context's or Prepare's or the file system's, Dir is as it was before
// and no half-filled folder stays behind.
func Fetch(ctx context.Context, r Request) error {
	if Verify(r.Dir, r.Pom) == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(r.Dir), 0o755); err != nil { //nolint:gosec // a cache of public files
		return fmt.Errorf("create the cache folder: %w", asNoSpace(err))
	}
	unlock, err := lock(ctx, r)
	if err != nil {
		return err
	}
	defer unlock()

	err = Verify(r.Dir, r.Pom)
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrDamaged) {
		r.report(Progress{Stage: StageRepairing, Detail: err.Error()})
	}
	removeLeftovers(r.Dir)
	if ferr := fetch(ctx, r); ferr != nil {
		if errors.Is(err, ErrDamaged) {
			return fmt.Errorf("%w; fetching it again: %w", err, ferr)
		}
		return fmt.Errorf("fetch %s: %w", filepath.Base(r.Dir), ferr)
	}
	r.report(Progress{Stage: StageDone})
	return nil
}

// fetch fills a temporary folder and puts it in the place of r.Dir. The caller holds the lock.
func fetch(ctx context.Context, r Request) (err error) {
	temp, err := os.MkdirTemp(filepath.Dir(r.Dir), temporaryPrefix(r.Dir))
	if err != nil {
		return fmt.Errorf("create a temporary folder: %w", asNoSpace(err))
	}
	defer func() {
		if rerr := os.RemoveAll(temp); rerr != nil && err == nil {
			err = fmt.Errorf("remove the temporary folder: %w", rerr)
		}
	}()
	files := filepath.Join(temp, "files")
	if err := runMaven(ctx, r, temp, files); err != nil {
		return err
	}
	r.report(Progress{Stage: StageChecking})
	if r.Prepare != nil {
		if err := r.Prepare(ctx, files); err != nil {
			return fmt.Errorf("prepare the files: %w", asNoSpace(err))
		}
	}
	if err := writeManifest(files, r.Pom); err != nil {
		return fmt.Errorf("write the manifest: %w", asNoSpace(err))
	}
	if err := replace(r.Dir, files, filepath.Join(temp, "old")); err != nil {
		return fmt.Errorf("put the files in place: %w", asNoSpace(err))
	}
	return nil
}

// replace moves the folder at fresh to dir, and what was at dir to old.
func replace(dir, fresh, old string) error {
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(fresh, dir)
}

// lock takes the file lock beside the folder; it waits while another process holds it.
func lock(ctx context.Context, r Request) (unlock func(), err error) {
	l := flock.New(r.Dir + ".lock")
	held, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the cache folder: %w", asNoSpace(err))
	}
	if !held {
		r.report(Progress{Stage: StageWaiting, Detail: "another process is fetching the same files"})
		if _, err := l.TryLockContext(ctx, lockPoll); err != nil {
			return nil, fmt.Errorf("lock the cache folder: %w", asNoSpace(err))
		}
	}
	return func() { _ = l.Close() }, nil
}

// removeLeftovers removes the temporary folders of processes that were killed.
// Their lock is gone with them, and the caller holds it now, so none is in use.
func removeLeftovers(dir string) {
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), temporaryPrefix(dir)) {
			_ = os.RemoveAll(filepath.Join(filepath.Dir(dir), e.Name()))
		}
	}
}

func temporaryPrefix(dir string) string {
	return "." + filepath.Base(dir) + ".tmp-"
}

// asNoSpace makes a full disk recognisable by ErrNoSpace.
func asNoSpace(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}

func (r Request) report(p Progress) {
	if r.Progress != nil {
		p.TotalBytes = r.SizeBytes
		r.Progress(p)
	}
}
