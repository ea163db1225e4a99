// Package maintenance decides when what runs without a caller is done, and calls one use
// case for each.
package maintenance

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"mneme/service"
)

// Defaults of the worker.
const (
	workerPoll     = 2 * time.Second
	workerPatience = 15 * time.Second
)

// WorkerConfig is what a Worker needs.
type WorkerConfig struct {
	Jobs *service.Jobs
	Log  *slog.Logger
	// Poll is how often the queue is looked at when nothing is to be done; 0: 2 seconds.
	Poll time.Duration
	// Patience is how long the worker waits after work that failed; 0: 15 seconds.
	Patience time.Duration
}

// Worker works on jobs, one at a time, as long as it runs. Several servers share the work.
type Worker struct{ c WorkerConfig }

// NewWorker makes a worker.
func NewWorker(c WorkerConfig) *Worker {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Poll == 0 {
		c.Poll = workerPoll
	}
	if c.Patience == 0 {
		c.Patience = workerPatience
	}
	return &Worker{c: c}
}

// Run works until the context ends; it returns nil then. A job in hand is given back.
func (w *Worker) Run(ctx context.Context) error {
	for {
		wait := w.c.Poll
		worked, err := w.c.Jobs.WorkNext(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !errors.Is(err, context.Canceled):
			w.c.Log.WarnContext(ctx, "a job is left for another try", slog.Any("cause", err))
			wait = w.c.Patience
		case worked:
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		}
	}
}
