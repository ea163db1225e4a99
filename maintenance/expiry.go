package maintenance

import (
	"time"

	"mneme/knowledge"
)

// Expiry is EXPIRY (SPEC N2): entries that have expired go, with at most 500 relations a
// direction in one run, so an entry of very many takes several. It runs often, because a
// run that finds nothing costs next to nothing. It also forgets idempotency keys that have
// expired (SPEC T8).
func Expiry(c TaskConfig) Task {
	return Task{Name: knowledge.TaskExpiry, TaskConfig: TaskConfig{
		Schedule: "40 * * * *", // hourly
		Timeout:  time.Hour,
		Jitter:   2 * time.Minute,
	}}.with(c)
}
