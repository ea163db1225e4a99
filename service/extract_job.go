package service

import (
	"context"
	"time"

	"mneme/knowledge"
)

// Remembered is the work of a job that extracts from what an agent remembered (SPEC T21).
func (s *Backfill) Remembered(ctx context.Context, run *JobRun) error {
	if err := run.Total(ctx, 1); err != nil {
		return err
	}
	key := run.Job.Text(InputSourceID)
	if key == "" {
		key = run.Job.ID
	}
	done, err := run.Done(ctx, []string{key})
	if err != nil || done[key] {
		return err
	}
	in := knowledge.MessageExtraction{
		MessageID: key, ThreadID: run.Job.Text(InputThread), Body: run.Job.Text(InputText), Source: knowledge.EntrySource(run.Job.Text(InputSource)),
	}
	if at, err := time.Parse(time.RFC3339Nano, run.Job.Text(InputSaidAt)); err == nil {
		in.SentAt = &at
	}
	contacts, _ := run.Job.Input[InputContacts].([]any)
	for _, id := range contacts {
		if id, ok := id.(string); ok {
			in.Contacts = append(in.Contacts, knowledge.EntityRef{ID: id})
		}
	}
	out, err := s.c.Extraction.FromMessage(ctx, Target{Workspace: run.Workspace.Key, Caller: run.Job.Caller}, in)
	_, err = s.settle(ctx, run, key, out, err, 0)
	return err
}
