package maintenance

import (
	"time"

	"mneme/knowledge"
)

// Dedup is DEDUP (SPEC N4–N10): entries about one contact that say the same become one.
func Dedup(c TaskConfig) Task {
	return Task{Name: knowledge.TaskDedup, TaskConfig: TaskConfig{
		Schedule: "0 4 * * *",   // daily (SPEC N4)
		Timeout:  4 * time.Hour, // it compares many vectors
		Jitter:   5 * time.Minute,
	}}.with(c)
}
