package maintenance

import (
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"mneme/knowledge"
)

// fields are the forms of a schedule that are understood.
const fields = cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor

// schedule tells the moments at which a task is due.
type schedule struct{ cron.Schedule }

// parseSchedule reads a schedule in cron form. INVALID_INPUT where it is none, and where
// it has no fixed moments (@every): several servers could not agree on them.
func parseSchedule(text string) (schedule, error) {
	parsed, err := cron.NewParser(fields).Parse(text)
	if err != nil {
		return schedule{}, knowledge.Invalid("schedule", "%q is not a schedule in cron form, such as 30 3 * * *, or off", text)
	}
	if _, floating := parsed.(cron.ConstantDelaySchedule); floating {
		return schedule{}, knowledge.Invalid("schedule", "%q has no fixed moments, on which several servers could agree; write it in cron form, such as */15 * * * *", text)
	}
	return schedule{parsed}, nil
}

// CheckSchedule tells whether a text is a schedule: INVALID_INPUT (schedule) where it is none.
func CheckSchedule(text string) error {
	if text == Off {
		return nil
	}
	_, err := parseSchedule(text)
	return err
}

// longestGap is how far back a last moment is looked for: the 29th of February is eight
// years from the next at most.
const longestGap = 9 * 366 * 24 * time.Hour

// last is the latest moment that is not behind now; false where there was none.
func (s schedule) last(now time.Time) (time.Time, bool) {
	now = now.UTC()
	for back := time.Minute; back <= longestGap; back *= 4 {
		at := s.Next(now.Add(-back))
		if at.IsZero() || at.After(now) {
			continue
		}
		for next := s.Next(at); !next.IsZero() && !next.After(now); next = s.Next(at) {
			at = next
		}
		return at, true
	}
	return time.Time{}, false
}

// gap is the time between the last moment and the next.
func (s schedule) gap(now time.Time) time.Duration {
	next := s.Next(now.UTC())
	return s.Next(next).Sub(next)
}

// seconds tells whether a schedule has a field for seconds.
func seconds(text string) bool { return len(strings.Fields(text)) == 6 }

// Limits of Lease.
const (
	shortestLease = 3 * time.Second
	longestLease  = 2 * time.Minute
)

// Lease is how long a server that says nothing should keep a task, so that the others
// take over before it is due once more: 2 minutes, and less where a task runs more often.
// Tasks whose schedule cannot be read do not count.
func Lease(tasks []Task, now time.Time) time.Duration {
	length := longestLease
	for _, task := range tasks {
		if read, err := parseSchedule(task.Schedule); err == nil {
			length = min(length, read.gap(now)/2)
		}
	}
	return max(length, shortestLease)
}
