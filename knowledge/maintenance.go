package knowledge

import (
	"slices"
	"time"
)

// MaintenanceTask is one kind of upkeep of a workspace.
type MaintenanceTask string

// Tasks of maintenance (SPEC N).
const (
	TaskEntityDecay     MaintenanceTask = "entity_decay"
	TaskEntryDecay      MaintenanceTask = "entry_decay"
	TaskExpiry          MaintenanceTask = "expiry"
	TaskDedup           MaintenanceTask = "dedup"
	TaskStaleGuesses    MaintenanceTask = "stale_guesses"
	TaskScopedExpansion MaintenanceTask = "scoped_expansion"
	TaskCleanup         MaintenanceTask = "cleanup"
	TaskReembed         MaintenanceTask = "reembed"
)

// MaintenanceTasks are all tasks, in the order of the contract.
func MaintenanceTasks() []MaintenanceTask {
	return []MaintenanceTask{TaskEntityDecay, TaskEntryDecay, TaskExpiry, TaskDedup, TaskStaleGuesses, TaskScopedExpansion, TaskCleanup, TaskReembed}
}

// Valid tells whether t is a task.
func (t MaintenanceTask) Valid() bool { return slices.Contains(MaintenanceTasks(), t) }

// MaintenanceOutcome is what became of asking for a run.
type MaintenanceOutcome string

// Outcomes of asking for a run.
const (
	OutcomeRan         MaintenanceOutcome = "ran"
	OutcomeAlreadyDone MaintenanceOutcome = "already_done" // once is enough, and once it was
	OutcomeHeld        MaintenanceOutcome = "held"         // somebody else is at it
	OutcomeNotDue      MaintenanceOutcome = "not_due"      // the last run is too recent (SPEC G4)
	OutcomeDryRun      MaintenanceOutcome = "dry_run"      // nothing was written
)

// MaintenanceRun is one run of a task in a workspace. A run that was interrupted has no
// end; whoever takes the task next goes on with it.
type MaintenanceRun struct {
	ID          string
	WorkspaceID string
	Task        MaintenanceTask
	Outcome     MaintenanceOutcome
	Slot        *time.Time // the moment of the schedule that it belongs to; nil: somebody asked for it
	StartedAt   time.Time
	FinishedAt  *time.Time
	Holder      string // the server that ran it, last
	Counts      []Count
	Error       *string
	Examples    []string // of a dry run: what would change, a line each
	Cursor      string   // how far it got
}

// Add adds counts of a batch to those of the run, keeping their order.
func (r *MaintenanceRun) Add(counts []Count) {
	for _, c := range counts {
		i := slices.IndexFunc(r.Counts, func(have Count) bool { return have.Key == c.Key })
		if i < 0 {
			r.Counts = append(r.Counts, c)
			continue
		}
		r.Counts[i].Count += c.Count
	}
}

// Count is the run's count of a key; 0 where it has none.
func (r *MaintenanceRun) Count(key string) int {
	for _, c := range r.Counts {
		if c.Key == key {
			return c.Count
		}
	}
	return 0
}

// Lease is the right to do something alone for a while: whose, until when, and the how
// many-th it is. A holder whose term is over may not write any more.
type Lease struct {
	WorkspaceID string // empty: of the whole deployment
	Key         string
	Holder      string
	Until       time.Time
	Term        int
}

// MaintenanceState is what is known of a task in a workspace before a run.
type MaintenanceState struct {
	Holder   string     // who has the lease; empty: nobody
	Until    *time.Time // when the lease ends
	Term     int        // how often the lease was taken
	DoneSlot *time.Time // the latest moment of the schedule that is done
	DoneAt   *time.Time // when the last run began that came to its end (SPEC G4)
	Marker   *time.Time // when a task that runs once was done (SPEC H1)
	Open     *MaintenanceRun
}

// MaintenanceRequest asks for a run.
type MaintenanceRequest struct {
	Task   MaintenanceTask
	Holder string
	Slot   *time.Time // nil: somebody asks for it
	Force  bool
	Now    time.Time
}

// Held tells whether somebody else has the lease (SPEC H3): one's own and an expired one
// can be taken.
func (s MaintenanceState) Held(holder string, now time.Time) bool {
	return s.Holder != "" && s.Holder != holder && s.Until != nil && s.Until.After(now)
}

// DecideMaintenance tells whether a task runs now, and why not.
func DecideMaintenance(s MaintenanceState, r MaintenanceRequest) MaintenanceOutcome {
	switch {
	case r.Task == TaskCleanup && s.Marker != nil && !r.Force:
		return OutcomeAlreadyDone
	case s.Held(r.Holder, r.Now):
		return OutcomeHeld
	case r.Slot != nil && s.DoneSlot != nil && !s.DoneSlot.Before(*r.Slot):
		return OutcomeAlreadyDone
	case r.Task == TaskEntityDecay && !r.Force && !EntityDecayDue(s.DoneAt, r.Now):
		return OutcomeNotDue
	default:
		return OutcomeRan
	}
}

// maxResume is how long an interrupted run can be gone on with: later, what it has
// passed may have changed again.
const maxResume = day

// Resumes tells whether a request goes on with the run that was interrupted.
func (s MaintenanceState) Resumes(r MaintenanceRequest) bool {
	if s.Open == nil || r.Now.Sub(s.Open.StartedAt) > maxResume {
		return false
	}
	return s.Open.Slot == nil && r.Slot == nil || s.Open.Slot != nil && r.Slot != nil && s.Open.Slot.Equal(*r.Slot)
}
