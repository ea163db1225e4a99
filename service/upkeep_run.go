package service

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"mneme/knowledge"
)

// claim takes a task in a workspace, together with the decision whether it runs (SPEC H3).
// A run that was interrupted is gone on with.
func (s *Upkeep) claim(ctx context.Context, ws *knowledge.Workspace, call MaintenanceCall, slot *time.Time) (*upkeepRun, error) {
	fresh := s.answer(ws, call.Task, knowledge.OutcomeRan)
	request := knowledge.MaintenanceRequest{Task: call.Task, Holder: s.c.Holder, Slot: slot, Force: call.Force, Now: fresh.StartedAt}
	run := &upkeepRun{ws: ws}
	err := s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		state, err := s.c.Store.LockMaintenance(ctx, ws.ID, string(call.Task))
		if err != nil {
			return err
		}
		record := *fresh
		record.Slot = slot
		run.record = &record
		if record.Outcome = knowledge.DecideMaintenance(state, request); record.Outcome != knowledge.OutcomeRan {
			record.Holder, record.FinishedAt = orText(state.Holder, record.Holder), &record.StartedAt
			return nil
		}
		if state.Resumes(request) && !call.Undo {
			record = *state.Open
			record.Holder, record.Outcome, record.FinishedAt, record.Error = s.c.Holder, knowledge.OutcomeRan, nil, nil
		} else {
			record.Counts = zeroCounts(s.tasks[call.Task].counts)
			if err := s.abandon(ctx, state.Open, request.Now); err != nil {
				return err
			}
		}
		run.lease = knowledge.Lease{WorkspaceID: ws.ID, Key: string(call.Task), Holder: s.c.Holder, Until: request.Now.Add(s.leaseOf(call.Task))}
		if run.lease.Term, err = s.c.Store.TakeLease(ctx, run.lease, record.ID); err != nil {
			return err
		}
		return s.c.Store.SaveRun(ctx, run.record)
	})
	return run, err
}

func orText(text, or string) string {
	if text == "" {
		return or
	}
	return text
}

func zeroCounts(keys []string) []knowledge.Count {
	out := make([]knowledge.Count, len(keys))
	for i, key := range keys {
		out[i].Key = key
	}
	return out
}

// abandon ends an interrupted run that nobody goes on with.
func (s *Upkeep) abandon(ctx context.Context, open *knowledge.MaintenanceRun, now time.Time) error {
	if open == nil {
		return nil
	}
	left := *open
	left.Slot, left.Cursor = nil, ""
	if left.FinishedAt == nil {
		left.FinishedAt = &now
	}
	if left.Error == nil {
		reason := "it was interrupted and begun anew"
		left.Error = &reason
	}
	return s.c.Store.SaveRun(ctx, &left)
}

// work takes steps until the last one, an error, or the end of ctx. The step in hand is finished.
func (s *Upkeep) work(ctx context.Context, run *upkeepRun, task upkeepTask) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.c.BetweenSteps != nil {
			if err := s.c.BetweenSteps(ctx, run.record); err != nil {
				return err
			}
		}
		last, err := s.step(ctx, run, task)
		if err != nil || last {
			return err
		}
	}
}

func (s *Upkeep) step(ctx context.Context, run *upkeepRun, task upkeepTask) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepTimeout)
	defer cancel()
	write, err := task.plan(ctx, run)
	if err != nil {
		return false, err
	}
	var next *knowledge.MaintenanceRun
	var done stepDone
	err = s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		var err error
		if done, err = write(ctx); err != nil {
			return err
		}
		next = advanced(run.record, done)
		return s.note(ctx, run, next, done.last)
	})
	if err != nil {
		return false, err
	}
	run.record = next
	return done.last, nil
}

// note stores how far a run is, in the transaction of its step, if the lease's term still runs.
func (s *Upkeep) note(ctx context.Context, run *upkeepRun, next *knowledge.MaintenanceRun, last bool) error {
	lease := run.lease
	lease.Until = s.c.Clock().Add(s.leaseOf(next.Task))
	if last {
		now := knowledge.Moment(s.c.Clock())
		next.FinishedAt = &now
		held, err := s.c.Store.FinishRun(ctx, lease, next)
		if err == nil && !held {
			return errTermOver
		}
		return err
	}
	held, err := s.c.Store.RenewLease(ctx, lease)
	if err == nil && !held {
		return errTermOver
	}
	if err != nil {
		return err
	}
	return s.c.Store.SaveRun(ctx, next)
}

// advanced is a run after a step.
func advanced(run *knowledge.MaintenanceRun, done stepDone) *knowledge.MaintenanceRun {
	next := *run
	next.Counts = slices.Clone(run.Counts)
	next.Add(done.counts)
	next.Cursor = done.cursor
	next.Examples = slices.Concat(run.Examples, done.examples)
	next.Examples = next.Examples[:min(len(next.Examples), maxExamples)]
	return &next
}

// settle notes how a run ended that did not come to its end: it stays open, and what
// failed for another reason than that the database was away is not tried again at once.
func (s *Upkeep) settle(ctx context.Context, run *upkeepRun, err error) error {
	run.record.Examples = nil // what was written is not told here: it may be private
	if err == nil {
		return nil
	}
	if errors.Is(err, errTermOver) {
		run.record.Outcome = knowledge.OutcomeHeld
		return nil
	}
	ended := context.Cause(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), upkeepSettle)
	defer cancel()
	if ended != nil || passing(err) {
		return errors.Join(err, s.c.Store.ReleaseLease(ctx, run.lease, nil))
	}
	now := knowledge.Moment(s.c.Clock())
	message, retry := "internal error", now.Add(upkeepRetry)
	var known *knowledge.Error
	if errors.As(err, &known) && known.Code != knowledge.CodeInternal {
		message = known.Message
	}
	run.record.Error, run.record.FinishedAt = &message, &now
	saved := s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		held, err := s.c.Store.RenewLease(ctx, run.lease)
		if err != nil || !held {
			return err
		}
		if err := s.c.Store.SaveRun(ctx, run.record); err != nil {
			return err
		}
		return s.c.Store.ReleaseLease(ctx, run.lease, &retry)
	})
	return errors.Join(err, saved)
}

// rehearse takes the steps of a task and rolls each back; nothing is written, not even
// that it was asked for.
func (s *Upkeep) rehearse(ctx context.Context, ws *knowledge.Workspace, name knowledge.MaintenanceTask, task upkeepTask) (*knowledge.MaintenanceRun, error) {
	first := s.answer(ws, name, knowledge.OutcomeDryRun)
	first.Counts = zeroCounts(task.counts)
	run := &upkeepRun{ws: ws}
	steps := func(ctx context.Context, undo func(ctx context.Context, write func(ctx context.Context) error) error) error {
		run.record = first
		for last := false; !last; {
			write, err := task.plan(ctx, run)
			if err != nil {
				return err
			}
			var done stepDone
			err = undo(ctx, func(ctx context.Context) error {
				var err error
				done, err = write(ctx)
				return err
			})
			if err != nil {
				return err
			}
			run.record, last = advanced(run.record, done), done.last
		}
		return nil
	}
	var err error
	if task.whole {
		err = s.undone(ctx, func(ctx context.Context) error {
			return steps(ctx, func(ctx context.Context, write func(context.Context) error) error { return write(ctx) })
		})
	} else {
		err = steps(ctx, s.undone)
	}
	now := knowledge.Moment(s.c.Clock())
	run.record.FinishedAt = &now
	return run.record, err
}

// undone runs f in a transaction that is rolled back.
func (s *Upkeep) undone(ctx context.Context, f func(ctx context.Context) error) error {
	err := s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		if err := f(ctx); err != nil {
			return err
		}
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// cursorText is how a task notes how far it got.
func cursorText(position any) string {
	b, err := json.Marshal(position)
	if err != nil {
		return "" // texts, numbers and moments only
	}
	return string(b)
}

// cursorOf reads what cursorText wrote; zero at the beginning of a run.
func cursorOf[T any](run *upkeepRun) (position T, err error) {
	if run.record.Cursor == "" {
		return position, nil
	}
	if err := json.Unmarshal([]byte(run.record.Cursor), &position); err != nil {
		return position, knowledge.Errorf(knowledge.CodeInternal, "the run's position cannot be read").Because(err)
	}
	return position, nil
}
