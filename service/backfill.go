package service

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"mneme/knowledge"
)

// Sizes and pace of backfills (SPEC M16, M19).
const (
	backfillBatch       = 30
	relationBatch       = 50
	backfillTotalMax    = 10_000 // what is counted for the progress
	defaultMessagePause = 150 * time.Millisecond
	defaultBatchPause   = 2 * time.Second
	// backfillPatience is how many messages in a row may fail for want of the model before
	// the job gives up.
	backfillPatience = 5
)

// Keys of the input of an extraction job.
const (
	InputText     = "text"
	InputThread   = "threadId"
	InputSourceID = "sourceId"
	InputSource   = "source"
	InputSaidAt   = "saidAt" // RFC 3339
)

// MessageQueue reads stored mails in the order in which they came.
type MessageQueue interface {
	NextMessages(ctx context.Context, workspaceID string, after *knowledge.Message, limit int) ([]*knowledge.Message, error)
	CountMessages(ctx context.Context, workspaceID, threadID string) (int, error)
}

// Backfill extracts from what is stored already, and links what was extracted before.
type Backfill struct {
	c BackfillConfig
}

// BackfillConfig is what Backfill needs.
type BackfillConfig struct {
	Extraction *Extraction
	Linker     *Linker
	Entries    *Entries
	Entities   *Entities
	Messages   MessageQueue
	Workspaces WorkspaceStore
	Jobs       func() *Jobs // which are made after this
	// Intake, Mail and Lines are for backfills of what lies under a path; nil: there are none.
	Intake *Intake
	Mail   MailReader
	Lines  LineReader
	// Resolve is the real path that a caller's path means; nil: none is let through.
	Resolve  func(path string) (string, error)
	Files    FileStore
	Audit    *Audit
	Features func(*knowledge.Workspace) []knowledge.Feature
	Log      *slog.Logger
	// MessagePause and BatchPause keep the work from crowding out others. 0: 150 ms and 2 s.
	MessagePause, BatchPause time.Duration
}

// NewBackfill makes the use case.
func NewBackfill(c BackfillConfig) *Backfill {
	if c.MessagePause == 0 {
		c.MessagePause = defaultMessagePause
	}
	if c.BatchPause == 0 {
		c.BatchPause = defaultBatchPause
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Backfill{c: c}
}

// Start queues the extraction from the stored messages, or from those that lie under a
// path: mail, or JSON lines of messages. FEATURE_DISABLED where ai_agent is off; FORBIDDEN
// and INVALID_INPUT (path) as the import root says.
func (s *Backfill) Start(ctx context.Context, to Target, r knowledge.BackfillRequest) (*knowledge.Job, error) {
	input := map[string]any{}
	if r.Path != "" {
		if s.c.Resolve == nil {
			return nil, knowledge.Errorf(knowledge.CodeForbidden, "this server reads no files")
		}
		path, err := s.c.Resolve(r.Path)
		if err != nil {
			return nil, err
		}
		input[InputPath] = path
	}
	return s.StartRead(ctx, to, input, false)
}

// StartRead is Start for a path that the caller may read, in the input of the job. Local:
// only the process that asks works on it.
func (s *Backfill) StartRead(ctx context.Context, to Target, input map[string]any, local bool) (*knowledge.Job, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	features := s.c.Features(ws)
	for _, name := range []knowledge.FeatureName{knowledge.FeatureAI, knowledge.FeatureAIKnowledge, knowledge.FeatureAIAgent} {
		if err := needFeature(features, name); err != nil {
			return nil, err
		}
	}
	return s.start(ctx, to, ws, JobRequest{Kind: knowledge.JobBackfill, Input: input, Local: local}, "agent.backfill_started")
}

func (s *Backfill) start(ctx context.Context, to Target, ws *knowledge.Workspace, r JobRequest, action string) (*knowledge.Job, error) {
	job, err := s.c.Jobs().Create(ctx, to, r)
	if err != nil {
		return nil, err
	}
	return job, s.c.Audit.Record(ctx, ws.ID, to.Caller, action, map[string]any{"job": job.ID})
}

// Switched is called when somebody switched a feature on that was off. The first time
// that ai_agent is, the stored messages are extracted from; the first time that
// ai_knowledge_auto_link is, the stored entries are linked (SPEC M15, M19).
func (s *Backfill) Switched(ctx context.Context, to Target, ws *knowledge.Workspace, name knowledge.FeatureName) error {
	kind, action := knowledge.JobBackfill, "agent.backfill_started"
	switch name {
	case knowledge.FeatureAIAgent:
	case knowledge.FeatureAutoLink:
		kind, action = knowledge.JobRelationBackfill, "knowledge.edge_backfill_started"
	default:
		return nil
	}
	if !knowledge.FeatureOn(s.c.Features(ws), name) {
		return nil
	}
	before, err := s.c.Jobs().Count(ctx, ws.ID, kind)
	if err != nil || before > 0 {
		return err
	}
	// The id is always the same: of two that switch at once, one starts the job.
	once := JobRequest{ID: knowledge.PrefixJob + "_" + string(kind) + "_" + ws.ID, Kind: kind, Input: map[string]any{}}
	_, err = s.start(ctx, to, ws, once, action)
	if knowledge.CodeOf(err) == knowledge.CodeConflict {
		return nil
	}
	return err
}

// goesOn tells whether a job's feature is still on; where it is not the job is cancelled
// (SPEC M18).
func (s *Backfill) goesOn(ctx context.Context, run *JobRun, name knowledge.FeatureName, action string) error {
	found, err := s.c.Workspaces.WorkspacesByID(ctx, []string{run.Job.WorkspaceID})
	if err != nil || len(found) == 0 {
		return err
	}
	run.Workspace = found[0]
	if knowledge.FeatureOn(s.c.Features(run.Workspace), name) {
		return nil
	}
	jobs := s.c.Jobs()
	if _, err := jobs.c.Store.CancelJob(ctx, run.Job.WorkspaceID, run.Job.ID, jobs.c.Clock()); err != nil {
		return err
	}
	if err := s.c.Audit.Record(ctx, run.Job.WorkspaceID, run.Job.Caller, action, map[string]any{"job": run.Job.ID, "reason": "the feature " + string(name) + " is off"}); err != nil {
		return err
	}
	return errLost
}

// Messages is the work of a job that extracts from the stored messages (SPEC M16 to M18).
func (s *Backfill) Messages(ctx context.Context, run *JobRun) error {
	if path := run.Job.Text(InputPath); path != "" {
		return s.path(ctx, run, path)
	}
	total, err := s.c.Messages.CountMessages(ctx, run.Job.WorkspaceID, "")
	if err != nil {
		return err
	}
	if err := run.Total(ctx, min(total, backfillTotalMax)); err != nil {
		return err
	}
	return s.stored(ctx, run, knowledge.FeatureAIAgent, "agent.backfill_cancelled", time.Time{})
}

// stored extracts from the messages that were stored since a moment, the oldest first.
func (s *Backfill) stored(ctx context.Context, run *JobRun, feature knowledge.FeatureName, action string, since time.Time) error {
	var last *knowledge.Message
	failures := 0
	for {
		if err := s.goesOn(ctx, run, feature, action); err != nil {
			return err
		}
		batch, err := s.c.Messages.NextMessages(ctx, run.Job.WorkspaceID, last, backfillBatch)
		if err != nil || len(batch) == 0 {
			return err
		}
		last = batch[len(batch)-1]
		batch = slices.DeleteFunc(batch, func(m *knowledge.Message) bool { return m.CreatedAt.Before(since) })
		if len(batch) == 0 {
			continue
		}
		keys := make([]string, len(batch))
		for i, m := range batch {
			keys[i] = m.ID
		}
		done, err := run.Done(ctx, keys)
		if err != nil {
			return err
		}
		for _, m := range batch {
			if done[m.ID] {
				continue
			}
			if failures, err = s.message(ctx, run, m, failures); err != nil {
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
}

// message extracts from one message. failures counts those in a row that the model's
// absence made fail.
func (s *Backfill) message(ctx context.Context, run *JobRun, m *knowledge.Message, failures int) (int, error) {
	from, err := s.sender(ctx, run.Job.WorkspaceID, m)
	if err != nil {
		return failures, err
	}
	in := knowledge.MessageExtraction{
		MessageID: m.MessageID, ThreadID: m.ThreadID, Subject: value(m.Subject), Body: value(m.Text), From: from, SentAt: &m.SentAt, Source: knowledge.SourceEmail,
	}
	if m.FromID != nil {
		in.Contacts = []knowledge.EntityRef{{ID: *m.FromID}}
	}
	out, err := s.c.Extraction.FromMessage(ctx, Target{Workspace: run.Workspace.Key, Caller: run.Job.Caller}, in)
	return s.settle(ctx, run, m.ID, out, err, failures)
}

func (s *Backfill) sender(ctx context.Context, workspaceID string, m *knowledge.Message) (string, error) {
	if m.FromID == nil {
		return "", nil
	}
	found, err := s.c.Entities.ByIDs(ctx, workspaceID, []string{*m.FromID})
	if err != nil || found[*m.FromID] == nil {
		return "", err
	}
	return found[*m.FromID].Name, nil
}

// settle notes what became of an item. A job whose model or features are gone ends with
// that; a message that a present model cannot read fails by itself.
func (s *Backfill) settle(ctx context.Context, run *JobRun, key string, out *knowledge.Extracted, err error, failures int) (int, error) {
	if err == nil {
		return 0, run.Finish(ctx, itemOf(key, out))
	}
	if ctx.Err() != nil {
		return failures, err
	}
	code := knowledge.CodeOf(err)
	bad, isReply := badReply(err)
	switch {
	case code == knowledge.CodeLimitExceeded, code == knowledge.CodeFeatureDisabled:
		return failures, err
	case isReply:
		failures = 0
	case code == knowledge.CodeUnavailable, code == knowledge.CodeRateLimited, code == knowledge.CodeTimeout:
		if failures++; failures >= backfillPatience {
			return failures, knowledge.Errorf(knowledge.CodeRateLimited, "the language model failed for %d messages in a row", failures).Because(err)
		}
	default:
		return failures, run.Fail(ctx, key, err)
	}
	reason := reasonOf(err)
	item := knowledge.JobItem{Key: key, State: knowledge.ItemFailed, Outcome: &reason, Counts: map[string]int{}}
	if out != nil {
		for _, c := range out.Usage.Counts() {
			item.Counts[c.Key] = c.Count
		}
	}
	if isReply {
		item.Raw = &bad.Raw
	}
	return failures, run.Finish(ctx, item)
}

// itemOf is what became of a message: extracted where it gave an entry (SPEC M17).
func itemOf(key string, out *knowledge.Extracted) knowledge.JobItem {
	item := knowledge.JobItem{Key: key, State: knowledge.ItemSkipped, Counts: map[string]int{}}
	outcome := "nothing found"
	switch {
	case out.AlreadyExtracted:
		outcome = "done before"
	case out.Skipped != nil:
		outcome = *out.Skipped
	case len(out.Entries) > 0:
		item.State = knowledge.ItemDone
		outcome = fmt.Sprintf("%d entries, %d relations", len(out.Entries), len(out.Relations))
	}
	if out.Usage.Calls > 0 {
		outcome += fmt.Sprintf("; %d calls, %d tokens", out.Usage.Calls, out.Usage.Tokens())
		for _, c := range out.Usage.Counts() {
			item.Counts[c.Key] = c.Count
		}
	}
	item.Outcome = &outcome
	return item
}

// Relations is the work of a job that links the stored entries (SPEC M19).
func (s *Backfill) Relations(ctx context.Context, run *JobRun) error {
	page := knowledge.PageRequest{First: relationBatch}
	for {
		if err := s.goesOn(ctx, run, knowledge.FeatureAutoLink, "knowledge.edge_backfill_cancelled"); err != nil {
			return err
		}
		found, err := s.c.Entries.List(ctx, run.Job.WorkspaceID, knowledge.EntryFilter{}, knowledge.TimePoint{}, page)
		if err != nil {
			return err
		}
		keys := make([]string, len(found.Items))
		for i, e := range found.Items {
			keys[i] = e.ID
		}
		done, err := run.Done(ctx, keys)
		if err != nil {
			return err
		}
		for _, id := range keys {
			if done[id] {
				continue
			}
			if err := s.relate(ctx, run, id); err != nil {
				return err
			}
		}
		if !found.HasNextPage {
			return ctx.Err()
		}
		page.After = &found.Cursors[len(found.Cursors)-1]
		if err := sleep(ctx, s.c.BatchPause); err != nil {
			return err
		}
	}
}

func (s *Backfill) relate(ctx context.Context, run *JobRun, id string) error {
	linked, err := s.c.Linker.AutoLink(ctx, run.Workspace, []string{id})
	if err != nil {
		return run.Fail(ctx, id, err)
	}
	outcome := fmt.Sprintf("%d relations; %d calls, %d tokens", len(linked.Relations), linked.Usage.Calls, linked.Usage.Tokens())
	item := knowledge.JobItem{Key: id, State: knowledge.ItemDone, Outcome: &outcome, Counts: map[string]int{"scheduled": 1}}
	for _, c := range linked.Usage.Counts() {
		item.Counts[c.Key] = c.Count
	}
	return run.Finish(ctx, item)
}
