package maintenance

import (
	"time"

	"mneme/knowledge"
)

// Off is the schedule of a task that runs only when somebody asks for it.
const Off = "off"

// TaskConfig says when a task runs. The zero value is the task's own default.
type TaskConfig struct {
	// Schedule in cron form, in UTC: five fields, or six with seconds first; @daily and the
	// like; Off.
	Schedule string
	// Timeout is how long a run may take in one workspace; what is left then is gone on
	// with at the next opportunity.
	Timeout time.Duration
	// Jitter is the longest time, chosen by chance, that a run waits behind its schedule, so
	// that many deployments do not start at one moment; below 0: none. It is never more than
	// a tenth of the time between two runs.
	Jitter time.Duration
}

// Task is a task of maintenance with its schedule.
type Task struct {
	Name knowledge.MaintenanceTask
	TaskConfig
	// once: it runs after each start of a server, until it has come to its end.
	once bool
}

// with is the task with what a configuration says otherwise.
func (t Task) with(c TaskConfig) Task {
	if c.Schedule != "" {
		t.Schedule = c.Schedule
	}
	if c.Timeout != 0 {
		t.Timeout = c.Timeout
	}
	if c.Jitter != 0 {
		t.Jitter = max(c.Jitter, 0)
	}
	return t
}

// Tasks are all tasks, as a configuration says by name; what it does not name is as the
// task's own file says.
func Tasks(configs map[knowledge.MaintenanceTask]TaskConfig) []Task {
	all := []func(TaskConfig) Task{EntityDecay, EntryDecay, Expiry, Dedup, StaleGuesses, ScopedExpansion, Cleanup, Reembed}
	out := make([]Task, len(all))
	for i, task := range all {
		out[i] = task(TaskConfig{})
		out[i] = task(configs[out[i].Name])
	}
	return out
}
