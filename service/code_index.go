package service

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
)

// CodeScanner reads what a folder holds of source. INVALID_INPUT (path) where it is no folder that can be read.
type CodeScanner func(ctx context.Context, r CodeScanRequest) (CodeScan, error)

// CodeScanRequest says what to scan. Progress is called by one goroutine at a time.
type CodeScanRequest struct {
	Folder     string
	Repository string
	Progress   func(knowledge.CodeProgress)
}

// CodeScan is what a folder holds at one moment.
type CodeScan interface {
	// Digest identifies what was scanned: with the same digest an index is the same. Empty where something could
	// not be read.
	Digest() string
	Index(ctx context.Context) (*knowledge.CodeIndex, error)
	Close() error
}

// CodeIndexRequest asks for a folder to be indexed.
type CodeIndexRequest struct {
	Folder     string // absolute
	Repository string // empty: the folder's name
	Progress   func(knowledge.CodeProgress)
}

// CodeRun is what a run did. Report is nil where nothing had changed since the last run.
type CodeRun struct {
	Repository string
	Report     *knowledge.CodeReport
	Fresh      int // files that were not stored before
	Changed    int // files that were stored otherwise
	Removed    int // files that are gone
	Kept       int // files that were stored as they are
}

// maxRepositoryName is the longest name of a repository, in characters.
const maxRepositoryName = 200

// RepositoryName is the name of a repository: as it is given, else that of its folder.
func RepositoryName(given, folder string) (string, error) {
	name := strings.TrimSpace(given)
	if name == "" {
		name = filepath.Base(folder)
	}
	if err := knowledge.CheckText("repository", name, maxRepositoryName); err != nil {
		return "", err
	}
	if name == "" || name == "." || name == string(filepath.Separator) {
		return "", knowledge.Invalid("repository", "the folder has no name: give one")
	}
	return name, nil
}

// codeWait is how often a run looks whether another one has ended.
const codeWait = 200 * time.Millisecond

var errCodeLost = errors.New("another run has taken the repository over")

// Index makes the stored graph of a repository that of a folder (SPEC P11). What has not changed is neither parsed
// nor written. A run that is cut off leaves a graph that the next one completes; of two at once the second waits
// for the first. FEATURE_DISABLED where the code graph is off, INVALID_INPUT (path, repository).
func (s *Code) Index(ctx context.Context, ws *knowledge.Workspace, r CodeIndexRequest) (*CodeRun, error) {
	if err := s.enabled(ws); err != nil {
		return nil, err
	}
	if s.c.Scan == nil {
		return nil, knowledge.Errorf(knowledge.CodeForbidden, "this server reads no source")
	}
	name, err := RepositoryName(r.Repository, r.Folder)
	if err != nil {
		return nil, err
	}
	r.Repository = name
	if r.Progress == nil {
		r.Progress = func(knowledge.CodeProgress) {}
	}
	claim, digest, err := s.claim(ctx, ws.ID, name)
	if err != nil {
		return nil, err
	}
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var beating errgroup.Group
	done := make(chan struct{})
	beating.Go(func() error {
		s.beat(working, claim, done, cancel)
		return nil
	})
	run, err := s.indexHeld(working, claim, digest, r)
	close(done)
	_ = beating.Wait() // it gives no error
	if cause := context.Cause(working); errors.Is(cause, errCodeLost) {
		err = knowledge.Errorf(knowledge.CodeConflict, "another run has taken the repository over").Because(err)
	}
	last, end := context.WithTimeout(context.WithoutCancel(ctx), s.c.Lease)
	defer end()
	return run, errors.Join(err, s.c.Writer.ReleaseCode(last, claim))
}

// claim takes the repository in hand, when it is free.
func (s *Code) claim(ctx context.Context, workspaceID, repository string) (knowledge.CodeClaim, string, error) {
	owner := s.c.NewID(knowledge.PrefixJob)
	for {
		now := s.c.Clock()
		c := knowledge.CodeClaim{WorkspaceID: workspaceID, Repository: repository, Owner: owner, Now: now, Until: now.Add(s.c.Lease)}
		digest, held, err := s.c.Writer.ClaimCode(ctx, c)
		if err != nil || held {
			return c, digest, err
		}
		timer := time.NewTimer(codeWait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return c, "", ctx.Err()
		case <-timer.C:
		}
	}
}

// beat keeps the claim until done, and ends the work where it is lost.
func (s *Code) beat(ctx context.Context, claim knowledge.CodeClaim, done <-chan struct{}, lost context.CancelCauseFunc) {
	heartbeat(ctx, s.c.Lease/3, done, func() (over bool) {
		held, err := s.hold(ctx, claim)
		if err == nil && !held {
			lost(errCodeLost)
			return true
		}
		if err != nil && ctx.Err() == nil {
			s.c.Log.WarnContext(ctx, "the hold of a repository was not renewed", slog.String("repository", claim.Repository), slog.Any("cause", err))
		}
		return false
	})
}

func (s *Code) hold(ctx context.Context, claim knowledge.CodeClaim) (bool, error) {
	claim.Until = s.c.Clock().Add(s.c.Lease)
	return s.c.Writer.HoldCode(ctx, claim)
}

// indexHeld indexes a repository that is in hand; stored is the digest of what is stored.
func (s *Code) indexHeld(ctx context.Context, claim knowledge.CodeClaim, stored string, r CodeIndexRequest) (*CodeRun, error) {
	index, err := s.scanned(ctx, stored, r)
	run := &CodeRun{Repository: r.Repository}
	if err != nil || index == nil {
		return run, err
	}
	states, err := s.c.Writer.CodeParts(ctx, claim)
	if err != nil {
		return nil, err
	}
	plan := index.Plan(states)
	report := index.Report // a copy: the index is large and not needed any more
	run.Report, run.Fresh, run.Changed, run.Removed, run.Kept = &report, len(plan.Fresh), len(plan.Changed), len(plan.Removed), plan.Kept
	return run, s.write(ctx, claim, storedRepository(index), plan, r.Progress)
}

// scanned is the index of a folder; nil where the folder is as it is stored. What the scan holds in memory is free
// afterwards.
func (s *Code) scanned(ctx context.Context, stored string, r CodeIndexRequest) (index *knowledge.CodeIndex, err error) {
	scan, err := s.c.Scan(ctx, CodeScanRequest(r))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, scan.Close()) }()
	if digest := scan.Digest(); digest != "" && digest == stored {
		return nil, nil //nolint:nilnil // there is nothing to do
	}
	return scan.Index(ctx)
}
