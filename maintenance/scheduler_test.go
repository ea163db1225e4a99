package maintenance_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/neo4jtest"
	"mneme/knowledge"
	"mneme/maintenance"
	"mneme/service"
)

func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// ledger notes every run that came to its end, in all servers of a test.
type ledger struct {
	mu   sync.Mutex
	runs map[string]int // by workspace, task and slot
	told chan struct{}
}

func (l *ledger) observe(run *knowledge.MaintenanceRun, _ time.Duration) {
	if run.FinishedAt == nil || run.Outcome != knowledge.OutcomeRan || run.Error != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs[fmt.Sprint(run.WorkspaceID, " ", run.Task, " ", run.Slot.Format(time.RFC3339))]++
	select {
	case l.told <- struct{}{}:
	default:
	}
}

// slots are those of a task in a workspace that were run, and how often.
func (l *ledger) slots(workspaceID string, task knowledge.MaintenanceTask) map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]int{}
	for key, n := range l.runs {
		if slot, ok := strings.CutPrefix(key, workspaceID+" "+string(task)+" "); ok {
			out[slot] = n
		}
	}
	return out
}

// mine is a server's store that sees one workspace of the test database, where other
// tests work too, and keeps the leases of the deployment apart for each test. Once its
// server is dead, or while the database is away, nothing reaches it.
type mine struct {
	service.UpkeepStore
	tx         service.Transactor
	id         string
	dead, away *atomic.Bool
	refused    chan<- struct{} // is told of every call that did not reach the database
}

var errAway error = knowledge.Errorf(knowledge.CodeUnavailable, "the database does not answer")

func (m mine) reached() error {
	if !m.dead.Load() && !m.away.Load() {
		return nil
	}
	select {
	case m.refused <- struct{}{}:
	default:
	}
	return errAway
}

// Atomically fails in the commit.
func (m mine) Atomically(ctx context.Context, f func(ctx context.Context) error) error {
	return m.tx.Atomically(ctx, func(ctx context.Context) error { return errors.Join(f(ctx), m.reached()) })
}

func (m mine) DueForMaintenance(ctx context.Context, task knowledge.MaintenanceTask, slot, at time.Time, after string, limit int) ([]*knowledge.Workspace, error) {
	if err := m.reached(); err != nil {
		return nil, err
	}
	found, err := m.UpkeepStore.DueForMaintenance(ctx, task, slot, at, after, 10_000)
	found = slices.DeleteFunc(found, func(w *knowledge.Workspace) bool { return w.ID != m.id })
	return found[:min(len(found), limit)], err
}

func (m mine) LockMaintenance(ctx context.Context, workspaceID, key string) (knowledge.MaintenanceState, error) {
	l := m.lease(knowledge.Lease{WorkspaceID: workspaceID, Key: key})
	return m.UpkeepStore.LockMaintenance(ctx, l.WorkspaceID, l.Key)
}

func (m mine) TakeLease(ctx context.Context, l knowledge.Lease, run string) (int, error) {
	return m.UpkeepStore.TakeLease(ctx, m.lease(l), run)
}

func (m mine) RenewLease(ctx context.Context, l knowledge.Lease) (bool, error) {
	if err := m.reached(); err != nil {
		return false, err
	}
	return m.UpkeepStore.RenewLease(ctx, m.lease(l))
}

func (m mine) ReleaseLease(ctx context.Context, l knowledge.Lease, retryAt *time.Time) error {
	if err := m.reached(); err != nil {
		return err
	}
	return m.UpkeepStore.ReleaseLease(ctx, m.lease(l), retryAt)
}

func (m mine) lease(l knowledge.Lease) knowledge.Lease {
	if l.WorkspaceID == "" {
		l.WorkspaceID, l.Key = m.id, "schedule "+l.Key
	}
	return l
}

type world struct {
	ws     *knowledge.Workspace
	away   atomic.Bool // the database
	failed chan struct{}
	all    *service.Services
	ledger *ledger
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{ledger: &ledger{runs: map[string]int{}, told: make(chan struct{}, 1)}, failed: make(chan struct{})}
	w.all = w.services(t)
	var err error
	w.ws, err = w.all.Workspaces.Create(t.Context(), knowledge.Caller{Actor: knowledge.ActorManual}, newID("t"), "")
	require.NoError(t, err)
	return w
}

func (w *world) services(t *testing.T) *service.Services {
	t.Helper()
	return service.New(service.Config{
		Store: neo4jtest.Open(t), Embeddings: service.EmbeddingsConfig{Model: knowledge.EmbeddingModel{Name: "plane", Hash: "test", Dimensions: 2}},
		Features: func(*knowledge.Workspace) []knowledge.Feature {
			return knowledge.EffectiveFeatures(knowledge.Deployment{}, nil)
		},
		Clock: now, NewID: newID,
	})
}

// server is the upkeep of one more server that sees this world only; kill makes it
// silent, with all the leases that it has.
func (w *world) server(t *testing.T) (upkeep *service.Upkeep, kill func()) {
	t.Helper()
	store, dead := neo4jtest.Open(t), &atomic.Bool{}
	own := mine{store, store, w.ws.ID, dead, &w.away, w.failed}
	u := service.NewUpkeep(service.UpkeepConfig{
		Store: own, Workspaces: store, Tx: own, Audit: w.all.Audit, Clock: now, NewID: newID, Lease: 600 * time.Millisecond, Batch: 2, Observe: w.ledger.observe,
	})
	u.AddDecay(store, w.all.Idempotency, knowledge.EntityDecayPolicy{})
	return u, func() { dead.Store(true) }
}

func everySecond() []maintenance.Task {
	config := maintenance.TaskConfig{Schedule: "* * * * * *", Jitter: -1}
	return []maintenance.Task{maintenance.EntryDecay(config), maintenance.Expiry(config)}
}

// start runs a scheduler; stop ends it and waits for it.
func start(t *testing.T, upkeep maintenance.Upkeep, tasks []maintenance.Task) (stop func()) {
	t.Helper()
	s, err := maintenance.NewScheduler(maintenance.SchedulerConfig{Upkeep: upkeep, Tasks: tasks, Clock: now, FirstCleanup: time.Millisecond})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			assert.NoError(t, <-done)
		})
	}
	t.Cleanup(stop)
	return stop
}

// refused waits until so many calls did not reach the database.
func (w *world) refused(t *testing.T, calls int) {
	t.Helper()
	late := time.After(90 * time.Second)
	for range calls {
		select {
		case <-w.failed:
		case <-late:
			require.Fail(t, "nobody asks the database")
		}
	}
}

// until waits for a condition that runs bring about.
func (w *world) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	late := time.After(90 * time.Second)
	for !holds() {
		select {
		case <-w.ledger.told:
		case <-late:
			require.Fail(t, "never: "+what)
		}
	}
}

// N13: of three servers one runs a task for each moment of its schedule, also while servers
// end, are killed and start, and while the database is away.
func TestN13_OnceAPeriodOnSeveralServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 5 {
		_, err := w.all.Entries.Create(t.Context(), service.Target{Workspace: w.ws.Key, Caller: knowledge.Caller{Actor: knowledge.ActorManual}},
			knowledge.EntryDraft{Type: knowledge.EntryFact, Source: knowledge.SourceManual, Title: fmt.Sprint("entry ", i), Content: "stays", Confidence: 0.8})
		require.NoError(t, err)
	}
	stops, kills := make([]func(), 3), make([]func(), 3)
	begin := func(i int) {
		var upkeep *service.Upkeep
		upkeep, kills[i] = w.server(t)
		stops[i] = start(t, upkeep, everySecond())
	}
	for i := range stops {
		begin(i)
	}
	more := func(what string) {
		t.Helper()
		before := map[knowledge.MaintenanceTask]int{}
		tasks := []knowledge.MaintenanceTask{knowledge.TaskEntryDecay, knowledge.TaskExpiry}
		for _, task := range tasks {
			before[task] = len(w.ledger.slots(w.ws.ID, task))
		}
		w.until(t, what, func() bool {
			return !slices.ContainsFunc(tasks, func(task knowledge.MaintenanceTask) bool { return len(w.ledger.slots(w.ws.ID, task)) < before[task]+3 })
		})
	}
	more("three periods")
	for i := range stops {
		if i < 2 {
			kills[i]()
		}
		stops[i]()
		more("three more periods without one")
		begin(i)
	}
	w.away.Store(true)
	w.refused(t, 20)
	w.away.Store(false)
	more("three more periods after the database was away")
	for _, stop := range stops {
		stop()
	}
	for _, task := range []knowledge.MaintenanceTask{knowledge.TaskEntryDecay, knowledge.TaskExpiry} {
		for slot, n := range w.ledger.slots(w.ws.ID, task) {
			assert.Equal(t, 1, n, "%s at %s", task, slot)
		}
	}
	runs, err := w.all.Upkeep.Runs(t.Context(), w.ws.ID)
	require.NoError(t, err)
	assert.NotEmpty(t, runs)
	for _, run := range runs {
		if run.Task == knowledge.TaskEntryDecay && run.FinishedAt != nil && run.Error == nil {
			assert.Equal(t, 5, run.Count("processed"), "every entry once, whoever ran it: %+v", run)
		}
	}
}

func TestSchedule_LastMoment(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		v, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return v
	}
	for _, c := range []struct{ schedule, now, last string }{
		{"10 3 * * *", "2026-03-02T03:09:59Z", "2026-03-01T03:10:00Z"},
		{"10 3 * * *", "2026-03-02T03:10:00Z", "2026-03-02T03:10:00Z"},
		{"*/2 * * * * *", "2026-03-02T03:10:01Z", "2026-03-02T03:10:00Z"},
		{"0 0 29 2 *", "2026-03-02T00:00:00Z", "2024-02-29T00:00:00Z"},
		{"@monthly", "2026-03-31T00:00:00Z", "2026-03-01T00:00:00Z"},
	} {
		last, ok := maintenance.LastMoment(c.schedule, at(c.now))
		assert.True(t, ok, c.schedule)
		assert.Equal(t, at(c.last), last, "%s at %s", c.schedule, c.now)
	}
	_, ok := maintenance.LastMoment("0 0 30 2 *", at("2026-03-02T00:00:00Z"))
	assert.False(t, ok, "never")
}

func TestSchedule_Checked(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"off", "30 3 * * *", "*/5 * * * * *", "@daily"} {
		require.NoError(t, maintenance.CheckSchedule(good), good)
	}
	for _, bad := range []string{"", "often", "* * *", "61 * * * *", "@every 5s"} {
		assert.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(maintenance.CheckSchedule(bad)), bad)
	}
}
