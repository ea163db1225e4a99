package maintenance

import (
	"time"

	"mneme/knowledge"
)

// EntityDecay is ENTITY_DECAY (SPEC G3–G9): what only the machine has seen, and not for 30
// days, fades by 5 % a run down to 0.3. It does not run more often than once in 24 hours in
// a workspace, whatever its schedule.
func EntityDecay(c TaskConfig) Task {
	return Task{Name: knowledge.TaskEntityDecay, TaskConfig: TaskConfig{
		Schedule: "10 3 * * *", // at night, when few ask
		Timeout:  time.Hour,
		Jitter:   5 * time.Minute,
	}}.with(c)
}
