package knowledge

import "time"

// Gauges are what is open in the whole database, for those who operate it.
type Gauges struct {
	// AwaitingVector is how much waits for its vector: until then it is found by text alone
	// (SPEC T10).
	AwaitingVector map[RecallKind]int
	// Jobs are those that are not done.
	Jobs map[JobState]int
	// TasksDone is when each task of upkeep was last done in some workspace.
	TasksDone []TaskDone
}

// TaskDone is when a task was last done.
type TaskDone struct {
	Task string
	At   time.Time
}
