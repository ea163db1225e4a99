package service_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/ingest"
	"mneme/knowledge"
	"mneme/service"
)

// post is a mailbox of made-up mails, one of which cannot be read.
type post struct {
	n int
	// each is called before a mail is given.
	each func(i int)
}

func (p post) CountMails(context.Context, string) (int, error) {
	if p.n == 0 {
		return 0, knowledge.Invalid("path", "there is no mail in it")
	}
	return p.n, nil
}

func (p post) Mails(context.Context, string) iter.Seq[knowledge.MailItem] {
	return func(yield func(knowledge.MailItem) bool) {
		for i := range p.n {
			if p.each != nil {
				p.each(i)
			}
			item := knowledge.MailItem{Key: fmt.Sprintf("box#%04d", i)}
			switch i {
			case 3:
				item.Err = knowledge.Invalid("", "the mail cannot be read")
			default:
				m := letter(fmt.Sprintf("m%d", i), fmt.Sprintf("Subject %d", i), func(m *knowledge.Mail) {
					m.Kind = knowledge.MailReceived
					m.From = knowledge.MailAddress{Name: fmt.Sprintf("Writer %d", i%3), Address: fmt.Sprintf("w%d@acme.com", i%3)}
					m.NoMemory = i == 5
				})
				item.Mail = &m
			}
			if !yield(item) {
				return
			}
		}
	}
}

// jobs are the use cases with a mailbox to import, on the bundle's store and clock.
func (b *bundle) jobs(mail service.MailReader, store service.Store) *service.Services {
	return service.New(service.Config{
		Store: store, Embeddings: service.EmbeddingsConfig{Model: plane()}, Features: func(*knowledge.Workspace) []knowledge.Feature { return b.features },
		Clock: b.clock.Now, NewID: newID, Mail: mail, JobLease: time.Minute, JobChunk: 5,
	})
}

func mailJob() service.JobRequest {
	return service.JobRequest{Kind: knowledge.JobMailImport, Input: map[string]any{service.InputPath: "box"}, Local: true}
}

func TestT15_Job(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.jobs(post{n: 8}, b.store)
	j, err := s.Jobs.Create(t.Context(), b.to, mailJob())
	require.NoError(t, err)
	assert.Equal(t, knowledge.JobQueued, j.State)
	worked, err := s.Jobs.WorkOn(t.Context(), j.ID)
	require.NoError(t, err)
	assert.True(t, worked)
	j, err = s.Jobs.Get(t.Context(), b.ws.ID, j.ID)
	require.NoError(t, err)
	assert.Equal(t, knowledge.JobSucceeded, j.State)
	assert.Equal(t, []int{8, 8, 6, 1, 1}, []int{*j.Total, j.Scanned, j.Extracted, j.Skipped, j.Errors})
	assert.Equal(t, "the mail cannot be read", *j.LastError, "E18")
	assert.Equal(t, []knowledge.Count{{Key: "messages", Count: 6}}, j.Counts)
	assert.NotNil(t, j.FinishedAt)
	failed, err := s.Jobs.Items(t.Context(), j.ID, knowledge.ItemFailed, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, failed.Items, 1)
	assert.Equal(t, "box#0003", failed.Items[0].Key)
	worked, err = s.Jobs.WorkOn(t.Context(), j.ID)
	require.NoError(t, err)
	assert.False(t, worked, "it has ended")

	_, err = b.all.Jobs.Get(t.Context(), setup(t).ws.ID, j.ID)
	assert.True(t, knowledge.IsNotFound(err), "R1")
	require.NoError(t, b.store.ClearWorkspace(t.Context(), b.ws.ID))
	_, err = s.Jobs.Get(t.Context(), b.ws.ID, j.ID)
	assert.True(t, knowledge.IsNotFound(err), "R4")
}

func TestT15_JobThatCannotBegin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.jobs(post{}, b.store)
	j, err := s.Jobs.Create(t.Context(), b.to, mailJob())
	require.NoError(t, err)
	_, err = s.Jobs.WorkOn(t.Context(), j.ID)
	require.NoError(t, err)
	j, err = s.Jobs.Get(t.Context(), b.ws.ID, j.ID)
	require.NoError(t, err)
	assert.Equal(t, knowledge.JobFailed, j.State)
	assert.Equal(t, "there is no mail in it", *j.LastError)
	_, err = s.Jobs.Create(t.Context(), b.to, service.JobRequest{Kind: knowledge.JobReembed})
	assert.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err))
}

func TestT15_Cancel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var s *service.Services
	var id string
	s = b.jobs(post{n: 60, each: func(i int) {
		if i == 55 {
			_, err := s.Jobs.Cancel(t.Context(), b.to, id)
			assert.NoError(t, err)
		}
	}}, b.store)
	j, err := s.Jobs.Create(t.Context(), b.to, mailJob())
	require.NoError(t, err)
	id = j.ID
	events, err := s.Jobs.Watch(t.Context(), b.ws.ID, id)
	require.NoError(t, err)
	_, err = s.Jobs.WorkOn(t.Context(), id)
	require.NoError(t, err)
	var last *knowledge.Job
	for e := range events {
		last = e
	}
	assert.Equal(t, knowledge.JobCancelled, last.State, "the subscription ends with the job")
	assert.Equal(t, 55, last.Scanned, "what came after the cancellation was not done")
	again, err := s.Jobs.Cancel(t.Context(), b.to, id)
	require.NoError(t, err)
	assert.Equal(t, last.FinishedAt, again.FinishedAt)
	_, err = s.Jobs.Cancel(t.Context(), b.to, "job_none")
	assert.True(t, knowledge.IsNotFound(err))
}

// dying is a store whose process is killed: after some writes nothing goes through any more.
type dying struct {
	service.Store
	mu   sync.Mutex
	left int
}

var errKilled = errors.New("killed")

func (d *dying) step() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left--; d.left < 0 {
		return errKilled
	}
	return nil
}

func (d *dying) Atomically(ctx context.Context, f func(context.Context) error) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.Store.Atomically(ctx, func(ctx context.Context) error {
		if err := f(ctx); err != nil {
			return err
		}
		return d.step() // a kill before the commit
	})
}

func (d *dying) ReleaseJob(context.Context, knowledge.JobClaim, *string) error { return errKilled }

func (d *dying) FinishItems(ctx context.Context, c knowledge.JobClaim, ws string, items []knowledge.JobItem) (bool, error) {
	if err := d.step(); err != nil {
		return false, err
	}
	return d.Store.FinishItems(ctx, c, ws, items)
}

func (d *dying) FinishJob(ctx context.Context, c knowledge.JobClaim, state knowledge.JobState, lastError *string, now time.Time) (bool, error) {
	if err := d.step(); err != nil {
		return false, err
	}
	return d.Store.FinishJob(ctx, c, state, lastError, now)
}

func TestT15_KilledAtAnyPoint(t *testing.T) {
	t.Parallel()
	killedAndFinished(t, 20260301, 40, 10)
}

// TestSoakT15_Killed is the same a hundred times; make soak runs it.
func TestSoakT15_Killed(t *testing.T) {
	t.Parallel()
	if os.Getenv("MNEME_SOAK") == "" {
		t.Skip("takes minutes: make soak runs it")
	}
	killedAndFinished(t, uint64(time.Now().UnixNano()), 400, 100)
}

// killedAndFinished kills workers at random points and compares the end with that of an
// undisturbed run.
func killedAndFinished(t *testing.T, seed uint64, mails, kills int) {
	t.Helper()
	undisturbed := setup(t)
	want := undisturbed.finished(t, mails, func(*bundle, string) {})
	random := rand.New(rand.NewPCG(seed, seed))
	b := setup(t)
	killed := 0
	got := b.finished(t, mails, func(b *bundle, id string) {
		for range kills {
			s := b.jobs(post{n: mails}, &dying{Store: b.store, left: random.IntN(5)})
			if _, err := s.Jobs.WorkOn(t.Context(), id); err != nil {
				killed++
			}
			b.clock.advance(2 * time.Minute) // the lease ends
		}
	})
	assert.Positive(t, killed)
	assert.Equal(t, want, got, "seed %d", seed)
}

// finished is the state after a job was disturbed and then left to finish.
func (b *bundle) finished(t *testing.T, mails int, disturb func(b *bundle, id string)) map[string]any {
	t.Helper()
	s := b.jobs(post{n: mails}, b.store)
	j, err := s.Jobs.Create(t.Context(), b.to, mailJob())
	require.NoError(t, err)
	disturb(b, j.ID)
	_, err = s.Jobs.WorkOn(t.Context(), j.ID)
	require.NoError(t, err)
	j, err = s.Jobs.Get(t.Context(), b.ws.ID, j.ID)
	require.NoError(t, err)
	messages, err := s.Messages.Count(t.Context(), b.ws.ID, "")
	require.NoError(t, err)
	state := map[string]any{"state": j.State, "counts": []int{*j.Total, j.Scanned, j.Extracted, j.Skipped, j.Errors}, "own": j.Counts, "held": b.counted(t), "messages": messages}
	for i := range 3 {
		state[fmt.Sprint("writer ", i)] = b.find(t, "person", fmt.Sprint("Writer ", i)).Confidence
	}
	state["Acme"] = b.find(t, "organization", "Acme").Confidence
	return state
}

func TestT15_SeveralWorkers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.jobs(post{n: 20}, b.store)
	j, err := s.Jobs.Create(t.Context(), b.to, mailJob())
	require.NoError(t, err)
	var wg sync.WaitGroup
	worked := make([]bool, 8)
	for i := range worked {
		wg.Go(func() {
			did, err := b.jobs(post{n: 20}, b.store).Jobs.WorkOn(t.Context(), j.ID)
			assert.NoError(t, err)
			worked[i] = did
		})
	}
	wg.Wait()
	n := 0
	for _, did := range worked {
		if did {
			n++
		}
	}
	assert.Equal(t, 1, n, "one worker has the job")
	j, err = s.Jobs.Get(t.Context(), b.ws.ID, j.ID)
	require.NoError(t, err)
	assert.Equal(t, 20, j.Scanned)
}

func TestT15_LostLease(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var s *service.Services
	var id string
	s = b.jobs(post{n: 10, each: func(i int) {
		if i == 9 { // another worker takes over while this one believes that it has the job
			b.clock.advance(time.Hour)
			did, err := b.jobs(post{n: 10}, b.store).Jobs.WorkOn(t.Context(), id)
			assert.True(t, err == nil && did, "%v", err)
		}
	}}, b.store)
	j, err := s.Jobs.Create(t.Context(), b.to, mailJob())
	require.NoError(t, err)
	id = j.ID
	_, err = s.Jobs.WorkOn(t.Context(), id)
	require.NoError(t, err)
	j, err = s.Jobs.Get(t.Context(), b.ws.ID, id)
	require.NoError(t, err)
	assert.Equal(t, []int{10, 8, 1, 1}, []int{j.Scanned, j.Extracted, j.Skipped, j.Errors})
	assert.Equal(t, knowledge.JobSucceeded, j.State)
}

func TestT15_LinesKilledAtAnyPoint(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "graph.jsonl")
	lines := `{"type": "person", "name": "Ada"}
{"type": "organization", "name": "Acme"}
{"type": "person", "name": "Ada", "description": "wrote the first program"}
{"nothing": true}
{"from": {"name": "Ada"}, "to": {"name": "Acme"}, "type": "works_at"}
{"type": "person", "name": "ADA"}
`
	require.NoError(t, os.WriteFile(file, []byte(lines), 0o600))
	imported := func(b *bundle, store service.Store) *service.Jobs {
		return service.New(service.Config{
			Store: store, Embeddings: service.EmbeddingsConfig{Model: plane()}, Features: func(*knowledge.Workspace) []knowledge.Feature { return b.features },
			Clock: b.clock.Now, NewID: newID, Lines: ingest.LineFiles{}, JobLease: time.Minute, JobChunk: 2,
		}).Jobs
	}
	run := func(kills int) (map[string]any, int) {
		b, killed := setup(t), 0
		random := rand.New(rand.NewPCG(7, 7))
		j, err := imported(b, b.store).Create(t.Context(), b.to, service.JobRequest{
			Kind: knowledge.JobBulkImport, Local: true, Input: map[string]any{service.InputPath: file, service.InputFormat: string(knowledge.ImportGraph)},
		})
		require.NoError(t, err)
		for range kills {
			if _, err := imported(b, &dying{Store: b.store, left: random.IntN(5)}).WorkOn(t.Context(), j.ID); err != nil {
				killed++
			}
			b.clock.advance(2 * time.Minute)
		}
		_, err = imported(b, b.store).WorkOn(t.Context(), j.ID)
		require.NoError(t, err)
		j, err = b.all.Jobs.Get(t.Context(), b.ws.ID, j.ID)
		require.NoError(t, err)
		return map[string]any{"state": j.State, "counts": []int{*j.Total, j.Scanned, j.Extracted, j.Errors}, "held": b.counted(t), "Ada": b.find(t, "person", "Ada").Confidence}, killed
	}
	want, _ := run(0)
	got, killed := run(10)
	assert.Equal(t, []int{6, 6, 5, 1}, want["counts"])
	assert.Positive(t, killed)
	assert.Equal(t, want, got)
}
