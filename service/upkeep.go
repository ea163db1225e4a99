package service

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"mneme/knowledge"
)

// UpkeepStore keeps runs of maintenance.
type UpkeepStore interface {
	LeaseStore
	SaveRun(ctx context.Context, run *knowledge.MaintenanceRun) error
	// FinishRun is false where the lease's term is over.
	FinishRun(ctx context.Context, l knowledge.Lease, run *knowledge.MaintenanceRun) (bool, error)
	MaintenanceRuns(ctx context.Context, workspaceID string, limit int) ([]*knowledge.MaintenanceRun, error)
	DueForMaintenance(ctx context.Context, task knowledge.MaintenanceTask, slot, now time.Time, after string, limit int) ([]*knowledge.Workspace, error)
}

// Defaults of upkeep.
const (
	upkeepLease  = 2 * time.Minute
	cleanupLease = time.Hour // SPEC H3
	upkeepBatch  = 200       // SPEC N3, N11
	upkeepRetry  = 15 * time.Minute
	stepTimeout  = 5 * time.Minute
	upkeepSettle = 10 * time.Second
	maxExamples  = 10
	shownRuns    = 100
)

// UpkeepConfig is what Upkeep needs.
type UpkeepConfig struct {
	Store      UpkeepStore
	Workspaces WorkspaceStore
	Tx         Transactor
	Audit      *Audit
	Clock      Clock
	NewID      NewID
	Log        *slog.Logger // nil: nothing is logged
	// Holder is what this server calls itself; empty: a new name.
	Holder string
	// Lease is how long a server that says nothing keeps a task; 0: 2 minutes. It is renewed
	// while a run goes on. That of the one-time cleanup is an hour (SPEC H3).
	Lease time.Duration
	// Batch is how many entries or entities one step looks at; 0: 200 (SPEC N3).
	Batch int
	// Observe, where set, is told of every run that was begun here, and how long it took.
	Observe func(run *knowledge.MaintenanceRun, took time.Duration)
	// BetweenSteps, where set, is called before every step; its error interrupts the run
	// as the end of the server would. For tests.
	BetweenSteps func(ctx context.Context, run *knowledge.MaintenanceRun) error
}

// Upkeep keeps workspaces true as they age (SPEC G, H, N). A task runs in steps: each is
// one transaction, which also notes how far the run is and checks that this server still
// has the task's lease. So a run that ends at any point is gone on with by whoever comes
// next, and nothing of it is done twice.
type Upkeep struct {
	c       UpkeepConfig
	leases  leases
	tasks   map[knowledge.MaintenanceTask]upkeepTask
	mu      sync.Mutex
	running map[[2]string]bool // by workspace and task, in this process
}

// upkeepTask is how a task is done.
type upkeepTask struct {
	// plan reads what the next step needs and gives what writes it. It runs outside any
	// transaction, so that it may ask a model; the step runs in one, perhaps several times.
	plan func(ctx context.Context, run *upkeepRun) (upkeepStep, error)
	// counts are the counts that every run shows, in this order.
	counts []string
	// whole: a later step builds on an earlier one, so a dry run takes all steps in one
	// transaction before it rolls back.
	whole bool
}

// upkeepStep writes one step of a run.
type upkeepStep func(ctx context.Context) (stepDone, error)

// stepDone is what a step did.
type stepDone struct {
	counts   []knowledge.Count
	cursor   string // from where the next step goes on
	last     bool
	examples []string
}

// upkeepRun is a run of a task while it goes on.
type upkeepRun struct {
	ws     *knowledge.Workspace
	record *knowledge.MaintenanceRun
	lease  knowledge.Lease
}

// now is the moment that the whole run goes by, also after an interruption.
func (r *upkeepRun) now() time.Time { return r.record.StartedAt }

// NewUpkeep makes the use cases of maintenance. The tasks are added by their owners.
func NewUpkeep(c UpkeepConfig) *Upkeep {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Holder == "" {
		c.Holder = c.NewID("srv")
	}
	if c.Batch == 0 {
		c.Batch = upkeepBatch
	}
	return &Upkeep{
		c: c, leases: leases{store: c.Store, tx: c.Tx, clock: c.Clock, log: c.Log},
		tasks: map[knowledge.MaintenanceTask]upkeepTask{}, running: map[[2]string]bool{},
	}
}

func (s *Upkeep) leaseOf(task knowledge.MaintenanceTask) time.Duration {
	if task == knowledge.TaskCleanup {
		return cleanupLease
	}
	return cmp.Or(s.c.Lease, upkeepLease)
}

// Hold takes a lease of the whole deployment, such as a schedule's; ErrHeld where another
// server has it.
func (s *Upkeep) Hold(ctx context.Context, key string) (*HeldLease, error) {
	if !s.enter("", knowledge.MaintenanceTask(key)) {
		return nil, ErrHeld
	}
	leave := func() { s.leave("", knowledge.MaintenanceTask(key)) }
	held, err := s.leases.hold(ctx, key, s.c.Holder, s.leaseOf(""))
	if err != nil {
		leave()
		return nil, err
	}
	held.after = leave
	return held, nil
}

// MaintenanceCall asks for a run.
type MaintenanceCall struct {
	Task   knowledge.MaintenanceTask
	Force  bool // ignores that it was done already or too recently (SPEC G4, H1)
	DryRun bool // says what would change, with examples, and writes nothing
	Undo   bool // takes back what the task has written: SCOPED_EXPANSION only (SPEC N15)
}

// Run runs a task in a workspace now. The outcome says whether it ran, and why not.
// INVALID_INPUT (task) for what is no task, (undo) for a task that cannot be taken back;
// UNAVAILABLE where it needs an embedder and there is none.
func (s *Upkeep) Run(ctx context.Context, to Target, call MaintenanceCall) (*knowledge.MaintenanceRun, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if _, ok := s.tasks[call.Task]; !ok {
		return nil, knowledge.Invalid("task", "%q is not a task of maintenance", call.Task)
	}
	if call.Undo && call.Task != knowledge.TaskScopedExpansion {
		return nil, knowledge.Invalid("undo", "only SCOPED_EXPANSION can be taken back")
	}
	run, err := s.run(ctx, ws, call, nil)
	if err != nil || run.Outcome != knowledge.OutcomeRan {
		return run, err
	}
	return run, s.c.Audit.Record(ctx, ws.ID, to.Caller, "maintenance.run", map[string]any{"task": string(call.Task), "forced": call.Force, "undo": call.Undo})
}

// Runs are the last runs of a workspace's tasks, newest first.
func (s *Upkeep) Runs(ctx context.Context, workspaceID string) ([]*knowledge.MaintenanceRun, error) {
	return s.c.Store.MaintenanceRuns(ctx, workspaceID, shownRuns)
}

// Due tells whether a task is to be run somewhere for a moment of its schedule.
func (s *Upkeep) Due(ctx context.Context, task knowledge.MaintenanceTask, slot time.Time) (bool, error) {
	due, err := s.c.Store.DueForMaintenance(ctx, task, slot, s.c.Clock(), "", 1)
	return len(due) > 0, err
}

// RunDue runs a task, for a moment of its schedule, in every workspace where that is not
// done yet; timeout bounds each run, which is gone on with later. What fails in one
// workspace is logged and does not keep the others waiting; the error is that of the last.
func (s *Upkeep) RunDue(ctx context.Context, task knowledge.MaintenanceTask, slot time.Time, timeout time.Duration) error {
	var failed error
	for after := ""; ; {
		page, err := s.c.Store.DueForMaintenance(ctx, task, slot, s.c.Clock(), after, knowledge.MaxPage)
		if err != nil {
			return err
		}
		for _, ws := range page {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := s.runSlot(ctx, ws, task, slot, timeout); err != nil {
				failed = err
				s.c.Log.WarnContext(ctx, "a run of maintenance did not come to its end", slog.String("task", string(task)), slog.String("workspace", ws.Key), slog.Any("cause", err))
			}
			after = ws.Key
		}
		if len(page) < knowledge.MaxPage {
			return failed
		}
	}
}

func (s *Upkeep) runSlot(ctx context.Context, ws *knowledge.Workspace, task knowledge.MaintenanceTask, slot time.Time, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	_, err := s.run(ctx, ws, MaintenanceCall{Task: task}, &slot)
	return err
}

// enter notes that a task runs here; false where it does already. Two runs of one server
// would take each other's lease for their own.
func (s *Upkeep) enter(workspaceID string, task knowledge.MaintenanceTask) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := [2]string{workspaceID, string(task)}
	if s.running[key] {
		return false
	}
	s.running[key] = true
	return true
}

func (s *Upkeep) leave(workspaceID string, task knowledge.MaintenanceTask) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, [2]string{workspaceID, string(task)})
}

func (s *Upkeep) run(ctx context.Context, ws *knowledge.Workspace, call MaintenanceCall, slot *time.Time) (*knowledge.MaintenanceRun, error) {
	task := s.tasks[call.Task]
	if call.Undo {
		task = s.tasks[undoTask]
	}
	if call.DryRun {
		return s.rehearse(ctx, ws, call.Task, task)
	}
	if !s.enter(ws.ID, call.Task) {
		return s.answer(ws, call.Task, knowledge.OutcomeHeld), nil
	}
	defer s.leave(ws.ID, call.Task)
	run, err := s.claim(ctx, ws, call, slot)
	if err != nil || run.record.Outcome != knowledge.OutcomeRan {
		return run.record, err
	}
	began := time.Now()
	held := s.leases.keep(ctx, run.lease, s.leaseOf(call.Task))
	err = s.work(ctx, run, task)
	held.stop()
	err = s.settle(ctx, run, err)
	if s.c.Observe != nil {
		s.c.Observe(run.record, time.Since(began))
	}
	return run.record, err
}

// undoTask takes SCOPED_EXPANSION back.
const undoTask knowledge.MaintenanceTask = "undo_scoped_expansion"

// answer is a run that did not begin.
func (s *Upkeep) answer(ws *knowledge.Workspace, task knowledge.MaintenanceTask, outcome knowledge.MaintenanceOutcome) *knowledge.MaintenanceRun {
	now := knowledge.Moment(s.c.Clock())
	return &knowledge.MaintenanceRun{
		ID: s.c.NewID(knowledge.PrefixRun), WorkspaceID: ws.ID, Task: task, Outcome: outcome, StartedAt: now, Holder: s.c.Holder, Counts: []knowledge.Count{},
	}
}
