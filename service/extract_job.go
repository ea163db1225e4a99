package service

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"mneme/knowledge"
)

// Keys of the input of an extraction that follows an import, beside InputText and the
// others of one that follows what was remembered.
const (
	inputOf    = "of"    // what was imported
	inputSince = "since" // RFC 3339: what was stored before is not meant
	inputTotal = "total"

	ofMail  = "mail"
	ofFiles = "files"
)

// documentsAtOnce is how many documents are extracted from beside each other (SPEC O8).
const documentsAtOnce = 5

// can tells whether what comes in is extracted from at all: ai and ai_knowledge are on,
// and there is a model.
func (s *Backfill) can(ws *knowledge.Workspace) bool {
	features := s.c.Features(ws)
	return s.c.Extraction.c.Model != nil && knowledge.FeatureOn(features, knowledge.FeatureAI) && knowledge.FeatureOn(features, knowledge.FeatureAIKnowledge)
}

// FollowRemembered queues the extraction from what was remembered (SPEC T21), in the
// transaction of its context; nil where nothing new was, or nothing is extracted.
func (s *Backfill) FollowRemembered(ctx context.Context, to Target, ws *knowledge.Workspace, d knowledge.RememberDraft, out *knowledge.Remembered) (*knowledge.Job, error) {
	var first *knowledge.Entry
	contacts := []any{}
	for _, save := range out.Entries {
		if !save.Created {
			continue
		}
		if first == nil {
			first = save.Entry
			for _, id := range save.Entry.ContactIDs {
				contacts = append(contacts, id)
			}
		}
	}
	if first == nil || !s.can(ws) {
		return nil, nil //nolint:nilnil // no job is an answer here
	}
	input := map[string]any{
		InputText: d.Said(), InputThread: d.ThreadID, InputSourceID: first.ID, InputSource: string(knowledge.SourceAgentExtracted), InputContacts: contacts,
	}
	if first.ValidFrom != nil {
		input[InputSaidAt] = first.ValidFrom.Format(time.RFC3339Nano)
	}
	return s.c.Jobs().Create(ctx, to, JobRequest{Kind: knowledge.JobExtraction, Input: input})
}

// followed is the work of an import that is followed by extraction (SPEC M7). The job that
// follows is made once, however often the import's end is reached.
func (s *Backfill) followed(work JobWork, of string) JobWork {
	return func(ctx context.Context, run *JobRun) error {
		if err := work(ctx, run); err != nil || !s.can(run.Workspace) {
			return err
		}
		jobs := s.c.Jobs()
		now, err := jobs.Get(ctx, run.Job.WorkspaceID, run.Job.ID)
		if err != nil || now.Extracted == 0 {
			return err
		}
		_, err = jobs.Create(ctx, runTarget(run), JobRequest{
			ID: followerOf(run.Job.ID), Kind: knowledge.JobExtraction,
			Input: map[string]any{inputOf: of, inputSince: run.Job.CreatedAt.Format(time.RFC3339Nano), inputTotal: now.Extracted},
		})
		return err
	}
}

// Following is the extraction that follows an import, by the import's id; nil where none does.
func (s *Backfill) Following(ctx context.Context, workspaceID, id string) (*knowledge.Job, error) {
	found, err := s.c.Jobs().ByIDs(ctx, workspaceID, []string{followerOf(id)})
	return found[followerOf(id)], err
}

// followerOf is the id of the extraction that follows an import.
func followerOf(id string) string { return id + "x" }

// Extract is the work of a job that extracts from what came in.
func (s *Backfill) Extract(ctx context.Context, run *JobRun) error {
	of := run.Job.Text(inputOf)
	if of == "" {
		return s.remembered(ctx, run)
	}
	if total, ok := run.Job.Input[inputTotal].(float64); ok {
		if err := run.Total(ctx, int(total)); err != nil {
			return err
		}
	}
	since, err := time.Parse(time.RFC3339Nano, run.Job.Text(inputSince))
	if err != nil {
		return knowledge.Invalid("", "the job does not say what to extract from").Because(err)
	}
	if of == ofFiles {
		return s.files(ctx, run, since)
	}
	return s.stored(ctx, run, knowledge.FeatureAIKnowledge, "job.cancelled", since)
}

// remembered extracts from what an agent remembered (SPEC T21).
func (s *Backfill) remembered(ctx context.Context, run *JobRun) error {
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
		MessageID: key, ThreadID: run.Job.Text(InputThread), Body: run.Job.Text(InputText), Source: knowledge.EntrySource(run.Job.Text(InputSource)), Contacts: contactsOf(run.Job),
	}
	if at, err := time.Parse(time.RFC3339Nano, run.Job.Text(InputSaidAt)); err == nil {
		in.SentAt = &at
	}
	out, err := s.c.Extraction.FromMessage(ctx, runTarget(run), in)
	_, err = s.settle(ctx, run, key, out, err, 0)
	return err
}

// files extracts from the files that were stored since a moment, some beside each other.
func (s *Backfill) files(ctx context.Context, run *JobRun, since time.Time) error {
	after, failures := "", 0
	for {
		if err := s.goesOn(ctx, run, knowledge.FeatureAIKnowledge, "job.cancelled"); err != nil {
			return err
		}
		page, err := s.c.Files.FilesBelow(ctx, run.Job.WorkspaceID, "", after, documentsAtOnce)
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1].Path
		if failures, err = s.some(ctx, run, page, since, failures); err != nil {
			return err
		}
	}
}

// extracted is what became of one of several documents.
type extracted struct {
	out *knowledge.Extracted
	err error
}

// some extracts from a few files beside each other; one that fails does not stop the rest.
func (s *Backfill) some(ctx context.Context, run *JobRun, page []*knowledge.SourceFile, since time.Time, failures int) (int, error) {
	keys := make([]string, len(page))
	for i, f := range page {
		keys[i] = f.Name
	}
	done, err := run.Done(ctx, keys)
	if err != nil {
		return failures, err
	}
	results := make([]*extracted, len(page))
	var group sync.WaitGroup
	for i, f := range page {
		if done[f.Name] || f.UpdatedAt.Before(since) {
			continue
		}
		results[i] = &extracted{}
		group.Go(func() { results[i].out, results[i].err = s.c.Extraction.FromStored(ctx, runTarget(run), f) })
	}
	group.Wait()
	for i, r := range results {
		if r == nil {
			continue
		}
		if r.err != nil {
			s.c.Log.WarnContext(ctx, "a file was not extracted from", slog.String("file", page[i].ID), slog.Any("cause", r.err))
		}
		if failures, err = s.settle(ctx, run, keys[i], r.out, r.err, failures); err != nil {
			return failures, err
		}
	}
	return failures, nil
}
