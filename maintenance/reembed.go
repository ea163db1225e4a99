package maintenance

import (
	"time"

	"mneme/knowledge"
)

// Reembed is REEMBED (SPEC T18): new vectors for what has those of another model. It runs
// only when somebody asks for it, unless a schedule is set: with a provider it costs money,
// and while two models are compared the old vectors are still wanted.
func Reembed(c TaskConfig) Task {
	return Task{Name: knowledge.TaskReembed, TaskConfig: TaskConfig{
		Schedule: Off,
		Timeout:  12 * time.Hour, // some ten thousand entries an hour on a small machine
		Jitter:   5 * time.Minute,
	}}.with(c)
}
