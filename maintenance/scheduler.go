package maintenance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/go-co-op/gocron/v2"

	"mneme/knowledge"
	"mneme/service"
)

// Defaults of the scheduler.
const (
	schedulerPoll = time.Minute
	minPoll       = 200 * time.Millisecond
	// firstCleanup is how long after its start a server begins the one-time cleanup (SPEC H2).
	firstCleanup = 2 * time.Minute
	// stopTimeout is how long the step in hand may take to end: as long as a transaction may.
	stopTimeout = 35 * time.Second
)

// Upkeep is what a scheduler calls.
type Upkeep interface {
	// Due tells whether a task is to be run somewhere for a moment of its schedule.
	Due(ctx context.Context, task knowledge.MaintenanceTask, slot time.Time) (bool, error)
	// Hold is service.ErrHeld where another server has the lease.
	Hold(ctx context.Context, key string) (*service.HeldLease, error)
	RunDue(ctx context.Context, task knowledge.MaintenanceTask, slot time.Time, timeout time.Duration) error
}

// SchedulerConfig is what a Scheduler needs.
type SchedulerConfig struct {
	Upkeep Upkeep
	Tasks  []Task
	Clock  service.Clock
	Log    *slog.Logger // nil: nothing is logged
	// Poll is how often it is looked for what should have run but did not: because no
	// server was up, the database was away, or the server that ran it has ended; 0: a minute.
	// For a task that runs more often than every five minutes it is more often.
	Poll time.Duration
	// FirstCleanup is how long after the start the one-time cleanup begins; 0: 2 minutes (SPEC H2).
	FirstCleanup time.Duration
}

// Scheduler runs tasks when they are due. Any number of servers may have one: for each
// moment of a schedule a task runs once in each workspace. A lease decides which server
// runs it (SPEC N13); the moments that are done are kept in the database, so that a server
// that comes later finds nothing to do. Moments that all servers missed are made up for
// by one run, for the last of them.
type Scheduler struct {
	c     SchedulerConfig
	tasks []scheduled
	start time.Time
}

// scheduled is a task with its schedule read.
type scheduled struct {
	Task
	schedule schedule
}

// NewScheduler makes a scheduler. INVALID_INPUT where a schedule cannot be read.
func NewScheduler(c SchedulerConfig) (*Scheduler, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Poll, c.FirstCleanup = cmp.Or(c.Poll, schedulerPoll), cmp.Or(c.FirstCleanup, firstCleanup)
	s := &Scheduler{c: c, start: c.Clock()}
	for _, task := range c.Tasks {
		if task.Schedule == Off {
			continue
		}
		one := scheduled{Task: task}
		if task.Schedule != "" {
			var err error
			if one.schedule, err = parseSchedule(task.Schedule); err != nil {
				return nil, fmt.Errorf("%s: %w", task.Name, err)
			}
		}
		s.tasks = append(s.tasks, one)
	}
	return s, nil
}

// Run runs tasks until the context ends; it returns nil then, when the step in hand is done.
func (s *Scheduler) Run(ctx context.Context) error {
	cron, err := gocron.NewScheduler(
		gocron.WithLocation(time.UTC), gocron.WithLogger(gocronLog{s.c.Log}), gocron.WithStopTimeout(stopTimeout),
		gocron.WithDistributedLocker(locker{s}), gocron.WithGlobalJobOptions(gocron.WithSingletonMode(gocron.LimitModeReschedule), gocron.WithContext(ctx)),
	)
	if err != nil {
		return fmt.Errorf("make the scheduler: %w", err)
	}
	for _, task := range s.tasks {
		if err := s.add(cron, task); err != nil {
			return errors.Join(err, cron.Shutdown())
		}
	}
	cron.Start()
	<-ctx.Done()
	return cron.Shutdown()
}

// add puts a task on its schedule, and beside it looks now and then for what was missed.
func (s *Scheduler) add(cron gocron.Scheduler, task scheduled) error {
	run := gocron.NewTask(func(ctx context.Context) { s.run(ctx, task) })
	name := gocron.WithName(string(task.Name))
	if task.once && task.Schedule == "" {
		first := gocron.OneTimeJob(gocron.OneTimeJobStartDateTime(time.Now().Add(s.c.FirstCleanup)))
		_, err := cron.NewJob(first, run, name)
		return err
	}
	if _, err := cron.NewJob(gocron.CronJob(task.Schedule, seconds(task.Schedule)), run, name); err != nil {
		return err
	}
	_, err := cron.NewJob(gocron.DurationJob(s.poll(task)), run, name)
	return err
}

// poll is how often it is looked for what was missed: several times between two runs.
func (s *Scheduler) poll(task scheduled) time.Duration {
	return max(min(s.c.Poll, task.schedule.gap(s.c.Clock())/5), minPoll)
}

// slot is the moment of its schedule for which a task is to be run now; false where there is none.
func (s *Scheduler) slot(task scheduled) (time.Time, bool) {
	if task.once {
		return s.start, true
	}
	return task.schedule.last(s.c.Clock())
}

func (s *Scheduler) run(ctx context.Context, task scheduled) {
	if jitter := s.jitter(task); jitter > 0 && !sleep(ctx, rand.N(jitter)) { //nolint:gosec // a pause needs no secret
		return
	}
	slot, ok := s.slot(task)
	if !ok {
		return
	}
	err := s.c.Upkeep.RunDue(ctx, task.Name, slot, task.Timeout)
	if err != nil && ctx.Err() == nil {
		s.c.Log.WarnContext(ctx, "maintenance is not done", slog.String("task", string(task.Name)), slog.Any("cause", err))
	}
}

func (s *Scheduler) jitter(task scheduled) time.Duration {
	if task.once || task.Jitter <= 0 {
		return 0
	}
	return min(task.Jitter, task.schedule.gap(s.c.Clock())/10)
}

// sleep is false where the context ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// errNothingDue keeps a task from being run.
var errNothingDue = errors.New("nothing is due")

// locker lets a task run here only if there is something to do and no other server does it.
type locker struct{ s *Scheduler }

// Lock implements gocron.Locker.
func (l locker) Lock(ctx context.Context, name string) (gocron.Lock, error) {
	for _, task := range l.s.tasks {
		if string(task.Name) != name {
			continue
		}
		slot, ok := l.s.slot(task)
		if !ok {
			return nil, errNothingDue
		}
		due, err := l.s.c.Upkeep.Due(ctx, task.Name, slot)
		if err != nil {
			return nil, err
		}
		if !due {
			return nil, errNothingDue
		}
		held, err := l.s.c.Upkeep.Hold(ctx, name)
		if err != nil {
			return nil, err
		}
		return lock{held}, nil
	}
	return nil, errNothingDue
}

type lock struct{ held *service.HeldLease }

// Unlock implements gocron.Lock. The lease is given back also when the server ends.
func (l lock) Unlock(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return l.held.Release(ctx)
}

// gocronLog is the log of gocron. Nearly all that it says is that a job did not run, because
// nothing is due or another server has it.
type gocronLog struct{ log *slog.Logger }

// Debug implements gocron.Logger.
func (g gocronLog) Debug(msg string, args ...any) { g.quietly(msg, args) }

// Info implements gocron.Logger.
func (g gocronLog) Info(msg string, args ...any) { g.quietly(msg, args) }

// Warn implements gocron.Logger.
func (g gocronLog) Warn(msg string, args ...any) { g.quietly(msg, args) }

// Error implements gocron.Logger.
func (g gocronLog) Error(msg string, args ...any) {
	g.log.Warn("the schedules are in trouble", slog.String("message", msg), slog.Any("about", args))
}

func (g gocronLog) quietly(msg string, args []any) {
	g.log.Debug("the schedules say something", slog.String("message", msg), slog.Any("about", args))
}
