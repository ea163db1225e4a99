package maintenance

import (
	"time"

	"mneme/knowledge"
)

// EntryDecay is ENTRY_DECAY (SPEC G10–G15, N1, N3): entries fade by type from the day on
// which they were last validated, and those that have expired go. How often it runs does
// not change what is left.
func EntryDecay(c TaskConfig) Task {
	return Task{Name: knowledge.TaskEntryDecay, TaskConfig: TaskConfig{
		Schedule: "20 3 * * *", // daily (SPEC N1)
		Timeout:  2 * time.Hour,
		Jitter:   5 * time.Minute,
	}}.with(c)
}
