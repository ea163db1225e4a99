package maintenance_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/neo4jtest"
	"mneme/knowledge"
	"mneme/maintenance"
	"mneme/service"
)

func newID(prefix string) string { return prefix + "_" + strings.ToLower(ulid.Make().String()) }

// oneMail is a mailbox with one mail.
type oneMail struct{}

func (oneMail) CountMails(context.Context, string) (int, error) { return 1, nil }

func (oneMail) Mails(context.Context, string) iter.Seq[knowledge.MailItem] {
	return func(yield func(knowledge.MailItem) bool) {
		yield(knowledge.MailItem{Key: "a", Mail: &knowledge.Mail{Kind: knowledge.MailReceived, MessageID: "m1", From: knowledge.MailAddress{Name: "Ada", Address: "ada@acme.com"}}})
	}
}

// ownJobs is a store whose queue holds the jobs of this test only: the database is shared.
type ownJobs struct {
	service.Store
	id string
}

func (s *ownJobs) CreateJob(ctx context.Context, j *knowledge.Job) error {
	s.id = j.ID
	return s.Store.CreateJob(ctx, j)
}

func (s *ownJobs) ClaimJob(ctx context.Context, c knowledge.JobClaim) (*knowledge.Job, error) {
	c.JobID = s.id
	return s.Store.ClaimJob(ctx, c)
}

func TestT15_WorkerTakesQueuedJobs(t *testing.T) {
	t.Parallel()
	store := &ownJobs{Store: neo4jtest.Open(t)}
	s := service.New(service.Config{
		Store: store, Features: func(*knowledge.Workspace) []knowledge.Feature { return nil }, Clock: func() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }, NewID: newID,
		Mail: oneMail{}, ResolvePath: func(path string) (string, error) { return path, nil },
	})
	caller := knowledge.Caller{Name: "test", Actor: knowledge.ActorManual}
	ws, err := s.Workspaces.Create(t.Context(), caller, newID("t"), "")
	require.NoError(t, err)
	job, err := s.Jobs.StartImport(t.Context(), service.Target{Workspace: ws.Key, Caller: caller}, "box", knowledge.ImportMail)
	require.NoError(t, err)
	events, err := s.Jobs.WatchIn(t.Context(), ws.Key, job.ID)
	require.NoError(t, err)

	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- maintenance.NewWorker(maintenance.WorkerConfig{Jobs: s.Jobs, Poll: 10 * time.Millisecond}).Run(ctx)
	}()
	var last *knowledge.Job
	for last = range events {
	}
	stop()
	require.NoError(t, <-done)
	assert.Equal(t, knowledge.JobSucceeded, last.State)
	assert.Equal(t, 1, last.Extracted)
}
