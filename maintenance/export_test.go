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
