package maintenance

import (
	"time"

	"mneme/knowledge"
)

// Cleanup is CLEANUP (SPEC H): what older imports should not have made goes, once in a
// workspace. It has no schedule: it begins two minutes after a server has started (SPEC H2),
// and after the next start where it failed.
func Cleanup(c TaskConfig) Task {
	return Task{Name: knowledge.TaskCleanup, TaskConfig: TaskConfig{
		Timeout: 4 * time.Hour,
	}, once: true}.with(c)
}
