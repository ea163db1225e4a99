package service

import (
	"context"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"mneme/knowledge"
)

// pathItem is a message under a path: a mail, or one that a line holds.
type pathItem struct {
	key     string
	mail    *knowledge.Mail
	message *knowledge.MessageExtraction
	err     error
}

// lineEndings are those of files of JSON lines.
func lineEndings() []string { return []string{".jsonl", ".ndjson", ".json"} }

// path is the work of a backfill of what lies under a path. Mails are stored first.
func (s *Backfill) path(ctx context.Context, run *JobRun, path string) error {
	total, items, err := s.under(ctx, path)
	if err != nil {
		return err
	}
	if err := run.Total(ctx, min(total, backfillTotalMax)); err != nil {
		return err
	}
	failures := 0
	for batch := range chunks(items, backfillBatch) {
		if err := s.goesOn(ctx, run, knowledge.FeatureAIAgent, "agent.backfill_cancelled"); err != nil {
			return err
		}
		keys := make([]string, len(batch))
		for i, item := range batch {
			keys[i] = item.key
		}
		done, err := run.Done(ctx, keys)
		if err != nil {
			return err
		}
		for _, item := range slices.DeleteFunc(batch, func(i pathItem) bool { return done[i.key] }) {
			if failures, err = s.pathItem(ctx, run, item, failures); err != nil {
				return err
			}
			if err := sleep(ctx, s.c.MessagePause); err != nil {
				return err
			}
		}
		if err := sleep(ctx, s.c.BatchPause); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (s *Backfill) under(ctx context.Context, path string) (int, iter.Seq[pathItem], error) {
	if slices.Contains(lineEndings(), strings.ToLower(filepath.Ext(path))) && s.c.Lines != nil {
		total, err := s.c.Lines.CountLines(ctx, path)
		return total, func(yield func(pathItem) bool) {
			for l := range s.c.Lines.Lines(ctx, path, knowledge.LinesOfMessages) {
				if !yield(pathItem{key: lineKey(l.Line), message: l.Message, err: l.Err}) {
					return
				}
			}
		}, err
	}
	if s.c.Mail == nil {
		return 0, nil, knowledge.Errorf(knowledge.CodeForbidden, "this server reads no mail")
	}
	total, err := s.c.Mail.CountMails(ctx, path)
	return total, func(yield func(pathItem) bool) {
		for m := range s.c.Mail.Mails(ctx, path) {
			if !yield(pathItem{key: m.Key, mail: m.Mail, err: m.Err}) {
				return
			}
		}
	}, err
}

func (s *Backfill) pathItem(ctx context.Context, run *JobRun, item pathItem, failures int) (int, error) {
	if item.err != nil {
		return failures, run.Fail(ctx, item.key, item.err)
	}
	if item.message != nil {
		out, err := s.c.Extraction.FromMessage(ctx, runTarget(run), *item.message)
		return s.settle(ctx, run, item.key, out, err, failures)
	}
	stored, err := s.c.Intake.ImportMail(ctx, run.Workspace, run.Job.Caller, item.mail, nil)
	switch {
	case err != nil:
		return failures, run.Fail(ctx, item.key, err)
	case stored.Skipped != nil:
		return failures, run.Finish(ctx, knowledge.JobItem{Key: item.key, State: knowledge.ItemSkipped, Outcome: stored.Skipped})
	}
	in := knowledge.MessageExtraction{
		MessageID: item.mail.MessageID, Subject: item.mail.Subject, Body: item.mail.Text, From: item.mail.From.String(), SentAt: item.mail.SentAt, Source: knowledge.SourceEmail,
		ThreadID: item.mail.Root(),
	}
	if stored.Message != nil {
		in.ThreadID = stored.Message.ThreadID
		if stored.Message.FromID != nil {
			in.Contacts = []knowledge.EntityRef{{ID: *stored.Message.FromID}}
		}
	}
	out, err := s.c.Extraction.FromMessage(ctx, runTarget(run), in)
	return s.settle(ctx, run, item.key, out, err, failures)
}

// runTarget is where a job writes, on behalf of whoever started it.
func runTarget(run *JobRun) Target {
	return Target{Workspace: run.Workspace.Key, Caller: run.Job.Caller}
}
