package maintenance

import (
	"time"

	"mneme/knowledge"
)

// StaleGuesses is STALE_GUESSES (SPEC N11): relations that a model guessed, was not sure
// of, and that nobody confirmed in 30 days, go.
func StaleGuesses(c TaskConfig) Task {
	return Task{Name: knowledge.TaskStaleGuesses, TaskConfig: TaskConfig{
		Schedule: "30 3 * * *", // daily (SPEC N11)
		Timeout:  time.Hour,
		Jitter:   5 * time.Minute,
	}}.with(c)
}
