package maintenance_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/maintenance"
)

// broken is an upkeep whose runs fail.
type broken struct {
	maintenance.Upkeep
	asked chan knowledge.MaintenanceTask
}

func (b broken) RunDue(_ context.Context, task knowledge.MaintenanceTask, _ time.Time, _ time.Duration) error {
	b.asked <- task
	return errors.New("the run failed")
}

// H2: the cleanup begins two minutes after the start; where it failed, the next start tries again.
func TestH2_CleanupAfterEachStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	upkeep, _ := w.server(t)
	b := broken{upkeep, make(chan knowledge.MaintenanceTask, 1)}
	s, err := maintenance.NewScheduler(maintenance.SchedulerConfig{Upkeep: b, Clock: now})
	require.NoError(t, err)
	assert.Equal(t, 2*time.Minute, s.FirstCleanup())
	for range 2 {
		stop := start(t, b, []maintenance.Task{maintenance.Cleanup(maintenance.TaskConfig{})})
		select {
		case task := <-b.asked:
			assert.Equal(t, knowledge.TaskCleanup, task)
		case <-time.After(90 * time.Second):
			require.Fail(t, "the cleanup never began")
		}
		stop()
	}
}
