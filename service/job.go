package service

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
)

// JobStore keeps jobs and what became of their items.
type JobStore interface {
	CreateJob(ctx context.Context, j *knowledge.Job) error
	// ClaimJob takes the oldest open job in hand, or the one of an id; nil where there is none.
	ClaimJob(ctx context.Context, c knowledge.JobClaim) (*knowledge.Job, error)
	// RenewJob is false where the job was cancelled or another worker has it.
	RenewJob(ctx context.Context, c knowledge.JobClaim) (bool, error)
	ReleaseJob(ctx context.Context, c knowledge.JobClaim, lastError *string) error
	SetJobTotal(ctx context.Context, c knowledge.JobClaim, total int) error
	// ReportJob is false where the worker does not have the job any more.
	ReportJob(ctx context.Context, c knowledge.JobClaim, r knowledge.JobReport) (bool, error)
	// FinishItems is false where the worker does not have the job any more. An item that was
	// counted before is not counted again.
	FinishItems(ctx context.Context, c knowledge.JobClaim, workspaceID string, items []knowledge.JobItem) (bool, error)
	ItemsDone(ctx context.Context, jobID string, keys []string) (map[string]bool, error)
	FinishJob(ctx context.Context, c knowledge.JobClaim, state knowledge.JobState, lastError *string, now time.Time) (bool, error)
	CancelJob(ctx context.Context, workspaceID, id string, now time.Time) (*knowledge.Job, error)
	JobsByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Job, error)
	Jobs(ctx context.Context, workspaceID string, kind knowledge.JobKind, from *knowledge.Cursor, limit int) ([]*knowledge.Job, error)
	CountJobs(ctx context.Context, workspaceID string, kind knowledge.JobKind) (int, error)
	JobItems(ctx context.Context, jobID string, state knowledge.ItemState, after string, limit int) ([]*knowledge.JobItem, error)
	CountJobItems(ctx context.Context, jobID string, state knowledge.ItemState) (int, error)
}

// JobWork does the work of one kind of job, item by item. It passes over items that are
// done, writes each item's outcome together with what the item writes, and returns nil
// when none is left. A knowledge.Error of another code than UNAVAILABLE and TIMEOUT fails
// the job; any other error leaves it for the next worker.
type JobWork func(ctx context.Context, run *JobRun) error

// Defaults of jobs.
const (
	jobLease     = 30 * time.Second
	jobWatchTick = 300 * time.Millisecond
	jobChunk     = 50
)

// Jobs are long work that is kept in the database.
type Jobs struct {
	c JobsConfig
}

// JobsConfig is what Jobs needs.
type JobsConfig struct {
	Store      JobStore
	Workspaces WorkspaceStore
	Audit      *Audit
	Work       map[knowledge.JobKind]JobWork
	Clock      Clock
	NewID      NewID
	Log        *slog.Logger // nil: nothing is logged
	// Resolve is the real path that a caller's path means; nil: none is let through.
	Resolve func(path string) (string, error)
	// Lease is how long a worker that says nothing keeps a job; 0: 30 seconds.
	Lease time.Duration
	// Chunk is how many items are taken in hand together; 0: 50.
	Chunk int
}

// NewJobs makes the use cases of jobs.
func NewJobs(c JobsConfig) *Jobs {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Lease == 0 {
		c.Lease = jobLease
	}
	if c.Chunk == 0 {
		c.Chunk = jobChunk
	}
	return &Jobs{c: c}
}

// JobRequest asks for a job. Local: only the process that asks works on it.
type JobRequest struct {
	// ID is the job's, where it is known; a job of it that is there already is the answer.
	ID    string
	Kind  knowledge.JobKind
	Input map[string]any
	Local bool
}

// Create queues a job.
func (s *Jobs) Create(ctx context.Context, to Target, r JobRequest) (*knowledge.Job, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if s.c.Work[r.Kind] == nil {
		return nil, knowledge.Invalid("kind", "jobs of the kind %q cannot be started", r.Kind)
	}
	if r.ID == "" {
		r.ID = s.c.NewID(knowledge.PrefixJob)
	} else if found, err := s.c.Store.JobsByID(ctx, ws.ID, []string{r.ID}); err != nil || len(found) > 0 {
		return firstOrNil(found), err
	}
	j := &knowledge.Job{
		ID: r.ID, WorkspaceID: ws.ID, Kind: r.Kind, State: knowledge.JobQueued, Input: r.Input, Caller: to.Caller, Local: r.Local,
		Counts: []knowledge.Count{}, CreatedAt: s.c.Clock(),
	}
	return j, s.c.Store.CreateJob(ctx, j)
}

func firstOrNil[T any](list []*T) *T {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// Cancel ends a job that is queued or running; one that has ended is answered as it is.
// NOT_FOUND (id) where there is none.
func (s *Jobs) Cancel(ctx context.Context, to Target, id string) (*knowledge.Job, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if err := knowledge.CheckID("id", id); err != nil {
		return nil, err
	}
	j, err := s.c.Store.CancelJob(ctx, ws.ID, id, s.c.Clock())
	if err != nil {
		return nil, err
	}
	if j == nil {
		return nil, knowledge.NotFound("id", "there is no job %q", id)
	}
	return j, s.c.Audit.Record(ctx, ws.ID, to.Caller, cancelAction(j.Kind), map[string]any{"job": j.ID, "kind": string(j.Kind)})
}

// cancelAction is what a cancelled job is called in the audit (SPEC M18, M19).
func cancelAction(kind knowledge.JobKind) string {
	switch kind {
	case knowledge.JobBackfill:
		return "agent.backfill_cancelled"
	case knowledge.JobRelationBackfill:
		return "knowledge.edge_backfill_cancelled"
	default:
		return "job.cancelled"
	}
}

// Get is a job by its id; NOT_FOUND (id) where there is none.
func (s *Jobs) Get(ctx context.Context, workspaceID, id string) (*knowledge.Job, error) {
	found, err := s.c.Store.JobsByID(ctx, workspaceID, []string{id})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, knowledge.NotFound("id", "there is no job %q", id)
	}
	return found[0], nil
}

// ByIDs are the jobs of ids, those that exist in the workspace.
func (s *Jobs) ByIDs(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Job, error) {
	found, err := s.c.Store.JobsByID(ctx, workspaceID, ids)
	out := make(map[string]*knowledge.Job, len(found))
	for _, j := range found {
		out[j.ID] = j
	}
	return out, err
}

// List pages through a workspace's jobs, newest first; no kind is every kind.
func (s *Jobs) List(ctx context.Context, workspaceID string, kind knowledge.JobKind, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Job], error) {
	return pageOf(page, func(from *knowledge.Cursor, limit int) ([]*knowledge.Job, error) {
		return s.c.Store.Jobs(ctx, workspaceID, kind, from, limit)
	}, func(j *knowledge.Job) knowledge.Cursor {
		return knowledge.Cursor{Key: j.CreatedAt.Format(time.RFC3339Nano), ID: j.ID}
	})
}

// Count is the number of a workspace's jobs.
func (s *Jobs) Count(ctx context.Context, workspaceID string, kind knowledge.JobKind) (int, error) {
	return s.c.Store.CountJobs(ctx, workspaceID, kind)
}

// Items pages through what became of a job's items; no state is every state. The job was
// looked up in its workspace before.
func (s *Jobs) Items(ctx context.Context, jobID string, state knowledge.ItemState, page knowledge.PageRequest) (*knowledge.Page[*knowledge.JobItem], error) {
	return pageOf(page, func(from *knowledge.Cursor, limit int) ([]*knowledge.JobItem, error) {
		after := ""
		if from != nil {
			after = from.Key
		}
		return s.c.Store.JobItems(ctx, jobID, state, after, limit)
	}, func(i *knowledge.JobItem) knowledge.Cursor { return knowledge.Cursor{Key: i.Key, ID: i.Key} })
}

// CountItems is the number of a job's items that have an outcome.
func (s *Jobs) CountItems(ctx context.Context, jobID string, state knowledge.ItemState) (int, error) {
	return s.c.Store.CountJobItems(ctx, jobID, state)
}

// Watch sends a job as it is, then whenever it has changed, and ends with it. NOT_FOUND
// (id) where there is none. The channel closes early where the context ends or the job
// cannot be read any more.
func (s *Jobs) Watch(ctx context.Context, workspaceID, id string) (<-chan *knowledge.Job, error) {
	last, err := s.Get(ctx, workspaceID, id)
	if err != nil {
		return nil, err
	}
	out := make(chan *knowledge.Job, 1)
	out <- last
	go func() {
		defer close(out)
		ticker := time.NewTicker(jobWatchTick)
		defer ticker.Stop()
		for !last.State.Final() {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			now, err := s.Get(ctx, workspaceID, id)
			if err != nil {
				return
			}
			if same(now, last) {
				continue
			}
			select {
			case out <- now:
				last = now
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}

func same(a, b *knowledge.Job) bool {
	return a.State == b.State && a.Scanned == b.Scanned && a.Errors == b.Errors && slices.Equal(a.Counts, b.Counts) && (a.Total == nil) == (b.Total == nil) && (a.Total == nil || *a.Total == *b.Total)
}

// WorkNext takes the oldest open job in hand and works on it to its end; false where there
// is none. The error is that of the work, which stays open for the next worker.
func (s *Jobs) WorkNext(ctx context.Context) (bool, error) { return s.work(ctx, "") }

// WorkOn is WorkNext for a certain job.
func (s *Jobs) WorkOn(ctx context.Context, id string) (bool, error) { return s.work(ctx, id) }

func (s *Jobs) work(ctx context.Context, id string) (bool, error) {
	now := s.c.Clock()
	claim := knowledge.JobClaim{JobID: id, Owner: s.c.NewID(knowledge.PrefixJob), Now: now, Until: now.Add(s.c.Lease)}
	job, err := s.c.Store.ClaimJob(ctx, claim)
	if err != nil || job == nil {
		return false, err
	}
	claim.JobID = job.ID
	run := &JobRun{Job: job, jobs: s, claim: claim}
	return true, s.run(ctx, run)
}

var errLost = errors.New("the job was cancelled or taken over")

// run does the work under a heartbeat that ends it when the job is lost.
func (s *Jobs) run(ctx context.Context, run *JobRun) error {
	found, err := s.c.Workspaces.WorkspacesByID(ctx, []string{run.Job.WorkspaceID})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return nil // its workspace was removed, and the job with it
	}
	run.Workspace = found[0]
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group errgroup.Group
	done := make(chan struct{})
	group.Go(func() error {
		s.beat(working, run, done, cancel)
		return nil
	})
	err = s.c.Work[run.Job.Kind](working, run)
	close(done)
	_ = group.Wait() // it gives no error
	if cause := context.Cause(working); errors.Is(cause, errLost) || errors.Is(err, errLost) {
		return nil
	}
	return s.end(context.WithoutCancel(ctx), run, err)
}

func (s *Jobs) beat(ctx context.Context, run *JobRun, done <-chan struct{}, lost context.CancelCauseFunc) {
	heartbeat(ctx, s.c.Lease/3, done, func() (over bool) {
		claim := run.claim
		claim.Until = s.c.Clock().Add(s.c.Lease)
		held, err := s.c.Store.RenewJob(ctx, claim)
		if err == nil && !held {
			lost(errLost)
			return true
		}
		if err != nil && ctx.Err() == nil {
			s.c.Log.WarnContext(ctx, "the lease of a job was not renewed", slog.String("job", run.Job.ID), slog.Any("cause", err))
		}
		return false
	})
}

// end notes how the work ended. What failed for want of the database, and what was
// interrupted, stays open.
func (s *Jobs) end(ctx context.Context, run *JobRun, err error) error {
	ctx, cancel := context.WithTimeout(ctx, s.c.Lease)
	defer cancel()
	var known *knowledge.Error
	switch {
	case err == nil:
		_, err = s.c.Store.FinishJob(ctx, run.claim, knowledge.JobSucceeded, nil, s.c.Clock())
		return err
	case errors.As(err, &known) && !passing(err):
		message := known.Message
		s.c.Log.WarnContext(ctx, "a job failed", slog.String("job", run.Job.ID), slog.Any("cause", err))
		_, err = s.c.Store.FinishJob(ctx, run.claim, knowledge.JobFailed, &message, s.c.Clock())
		return err
	default:
		return errors.Join(err, s.c.Store.ReleaseJob(ctx, run.claim, nil))
	}
}

// passing tells whether an error may be gone when the same is tried again.
func passing(err error) bool {
	switch knowledge.CodeOf(err) {
	case knowledge.CodeUnavailable, knowledge.CodeTimeout:
		return true
	default:
		return errors.Is(err, context.Canceled)
	}
}

// JobRun is a job while it is worked on.
type JobRun struct {
	Job       *knowledge.Job
	Workspace *knowledge.Workspace
	jobs      *Jobs
	claim     knowledge.JobClaim
}

// chunk is how many items are taken in hand together.
func (r *JobRun) chunk() int { return r.jobs.c.Chunk }

// Total notes how many items there are.
func (r *JobRun) Total(ctx context.Context, n int) error {
	return r.jobs.c.Store.SetJobTotal(ctx, r.claim, n)
}

// Report notes how far work is whose items are not counted one by one.
func (r *JobRun) Report(ctx context.Context, report knowledge.JobReport) error {
	held, err := r.jobs.c.Store.ReportJob(ctx, r.claim, report)
	if err == nil && !held {
		return errLost
	}
	return err
}

// Done are those of the keys whose items have an outcome from before.
func (r *JobRun) Done(ctx context.Context, keys []string) (map[string]bool, error) {
	return r.jobs.c.Store.ItemsDone(ctx, r.Job.ID, keys)
}

// Finish notes what became of items. In a transaction it takes part in that, so that the
// items' work and their outcomes are written together or not at all.
func (r *JobRun) Finish(ctx context.Context, items ...knowledge.JobItem) error {
	if len(items) == 0 {
		return nil
	}
	for i := range items {
		items[i].At = r.jobs.c.Clock()
		if items[i].Outcome != nil {
			short := knowledge.Ellipsis(*items[i].Outcome, knowledge.MaxNameLength)
			items[i].Outcome = &short
		}
	}
	held, err := r.jobs.c.Store.FinishItems(ctx, r.claim, r.Job.WorkspaceID, items)
	if err == nil && !held {
		return errLost
	}
	return err
}

// Fail notes that an item failed. An error that may pass is given back: the job is to stop.
func (r *JobRun) Fail(ctx context.Context, key string, err error) error {
	item, err := r.failure(ctx, key, err)
	if err != nil {
		return err
	}
	return r.Finish(ctx, item)
}

// failure is the outcome of an item that failed, or the error that the job is to stop with.
func (r *JobRun) failure(ctx context.Context, key string, err error) (knowledge.JobItem, error) {
	var known *knowledge.Error
	if errors.Is(err, errLost) || passing(err) || ctx.Err() != nil {
		return knowledge.JobItem{}, err
	}
	message := "internal error"
	if errors.As(err, &known) && known.Code != knowledge.CodeInternal {
		message = known.Error()
	} else {
		r.jobs.c.Log.ErrorContext(ctx, "an item of a job failed", slog.String("job", r.Job.ID), slog.Any("cause", err))
	}
	return knowledge.JobItem{Key: key, State: knowledge.ItemFailed, Outcome: &message}, nil
}

// StartImport queues the import of a file or folder under the import root. FORBIDDEN and
// INVALID_INPUT (path) as the root says; INVALID_INPUT (format) for what cannot be imported.
func (s *Jobs) StartImport(ctx context.Context, to Target, path string, format knowledge.ImportFormat) (*knowledge.Job, error) {
	if s.c.Resolve == nil {
		return nil, knowledge.Errorf(knowledge.CodeForbidden, "this server reads no files")
	}
	kind := format.Job()
	if kind == "" || s.c.Work[kind] == nil {
		return nil, knowledge.Invalid("format", "%q cannot be imported by a job", format)
	}
	resolved, err := s.c.Resolve(path)
	if err != nil {
		return nil, err
	}
	return s.Create(ctx, to, JobRequest{Kind: kind, Input: map[string]any{InputPath: resolved, InputFormat: string(format)}})
}

// WatchIn is Watch in the workspace of a key.
func (s *Jobs) WatchIn(ctx context.Context, workspace, id string) (<-chan *knowledge.Job, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return s.Watch(ctx, ws.ID, id)
}
