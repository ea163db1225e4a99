package maintenance

import (
	"time"

	"mneme/knowledge"
)

// ScopedExpansion is SCOPED_EXPANSION (SPEC N15): entries with few relations are joined to
// those that share mentioned entities with them, inside one contact scope. It runs behind
// DEDUP, so that it does not join what is about to become one.
func ScopedExpansion(c TaskConfig) Task {
	return Task{Name: knowledge.TaskScopedExpansion, TaskConfig: TaskConfig{
		Schedule: "0 5 * * *", // nightly (SPEC N15)
		Timeout:  4 * time.Hour,
		Jitter:   5 * time.Minute,
	}}.with(c)
}
