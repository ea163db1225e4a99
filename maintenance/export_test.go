package maintenance

import "time"

// LastMoment is the latest moment of a schedule that is not behind now.
func LastMoment(text string, now time.Time) (time.Time, bool) {
	s, err := parseSchedule(text)
	if err != nil {
		return time.Time{}, false
	}
	return s.last(now)
}

// FirstCleanup is how long after the start the one-time cleanup begins.
func (s *Scheduler) FirstCleanup() time.Duration { return s.c.FirstCleanup }
