package service_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/llmtest"
	"mneme/knowledge"
)

const (
	agentOn  = knowledge.FeatureAIAgent
	linkerOn = knowledge.FeatureAutoLink
)

// jobsOf are a workspace's jobs of a kind, newest first.
func (b *modelBundle) jobsOf(t *testing.T, kind knowledge.JobKind) []*knowledge.Job {
	t.Helper()
	page, err := b.all.Jobs.List(t.Context(), b.ws.ID, kind, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	return page.Items
}

func (b *modelBundle) work(t *testing.T, id string) *knowledge.Job {
	t.Helper()
	_, err := b.all.Jobs.WorkOn(t.Context(), id)
	require.NoError(t, err)
	j, err := b.all.Jobs.Get(t.Context(), b.ws.ID, id)
	require.NoError(t, err)
	return j
}

func (b *modelBundle) actions(t *testing.T) []string {
	t.Helper()
	page, err := b.all.Audit.List(t.Context(), b.ws.ID, knowledge.PageRequest{First: 50})
	require.NoError(t, err)
	var out []string
	for _, e := range page.Items {
		out = append(out, e.Action)
	}
	return out
}

// mails stores mails, all sent at the same moment but the last.
func (b *modelBundle) mails(t *testing.T, n int) {
	t.Helper()
	at := time.Date(2026, 2, 1, 8, 0, 0, 0, time.UTC)
	for i := range n {
		b.mail(t, letter(fmt.Sprintf("m%02d", i), "Plan", sent(at), func(m *knowledge.Mail) {
			m.Text = fmt.Sprintf("Acme told us in message %02d about its plan number %02d.", i, i)
		}))
	}
}

func TestM15_M17_MessageBackfill(t *testing.T) {
	t.Parallel()
	b := withModel(t)
	b.mails(t, 33)
	b.mail(t, letter("short", "Plan", func(m *knowledge.Mail) { m.Text = "Thanks!" }))
	n := 0
	b.server.Answer(func(r llmtest.Request) llmtest.Reply {
		if r.Model != "extractor" {
			return saysLinks()
		}
		n++
		switch n {
		case 5, 6: // the first reply and the second chance of one message
			return llmtest.Say("no json")
		case 8:
			return saysEntries()
		}
		return saysEntries(fmt.Sprintf("fact|Plan %d|Acme has the plan %d.", n, n))
	})
	b.turn(t, map[knowledge.FeatureName]bool{agentOn: true})
	jobs := b.jobsOf(t, knowledge.JobBackfill)
	require.Len(t, jobs, 1)
	assert.Contains(t, b.actions(t), "agent.backfill_started")
	b.turn(t, map[knowledge.FeatureName]bool{agentOn: true})
	b.turn(t, map[knowledge.FeatureName]bool{agentOn: false})
	b.turn(t, map[knowledge.FeatureName]bool{agentOn: true})
	require.Len(t, b.jobsOf(t, knowledge.JobBackfill), 1, "once ever")

	j := b.work(t, jobs[0].ID)
	assert.Equal(t, knowledge.JobSucceeded, j.State)
	assert.Equal(t, 34, *j.Total)
	assert.Equal(t, []int{34, 31, 2, 1}, []int{j.Scanned, j.Extracted, j.Skipped, j.Errors}, "M17; equal times are drained exactly")
	counts := map[string]int{}
	for _, c := range j.Counts {
		counts[c.Key] = c.Count
	}
	assert.Equal(t, len(b.server.Requests()), counts["modelCalls"], "cost is visible")
	assert.Equal(t, 10*len(b.server.Requests()), counts["modelPromptTokens"])
	failed, err := b.all.Jobs.Items(t.Context(), j.ID, knowledge.ItemFailed, knowledge.PageRequest{First: 5})
	require.NoError(t, err)
	require.Len(t, failed.Items, 1)
	assert.Equal(t, "no json", *failed.Items[0].Raw, "T16 the raw text is kept")

	// A second run tries what failed, and nothing else.
	before := len(b.server.Requests())
	again, err := b.all.Backfill.Start(t.Context(), b.to, knowledge.BackfillRequest{})
	require.NoError(t, err)
	j = b.work(t, again.ID)
	assert.Equal(t, []int{34, 1, 33, 0}, []int{j.Scanned, j.Extracted, j.Skipped, j.Errors})
	assert.LessOrEqual(t, len(b.server.Requests())-before, 2)
}

func TestM15_NotByCascade(t *testing.T) {
	t.Parallel()
	b := withModel(t)
	b.turn(t, map[knowledge.FeatureName]bool{knowledge.FeatureAI: false})
	b.turn(t, map[knowledge.FeatureName]bool{agentOn: true})
	b.turn(t, map[knowledge.FeatureName]bool{knowledge.FeatureAI: true})
	assert.Empty(t, b.jobsOf(t, knowledge.JobBackfill))
	b.turn(t, map[knowledge.FeatureName]bool{agentOn: false})
	_, err := b.all.Backfill.Start(t.Context(), b.to, knowledge.BackfillRequest{})
	assert.Equal(t, knowledge.CodeFeatureDisabled, knowledge.CodeOf(err))
}

func TestM18_TheFeatureGoesOff(t *testing.T) {
	t.Parallel()
	b := withModel(t)
	b.mails(t, 2)
	b.turn(t, map[knowledge.FeatureName]bool{agentOn: true})
	job := b.jobsOf(t, knowledge.JobBackfill)[0]
	b.turn(t, map[knowledge.FeatureName]bool{agentOn: false})
	assert.Equal(t, knowledge.JobCancelled, b.work(t, job.ID).State)
	assert.Empty(t, b.server.Requests())
	assert.Contains(t, b.actions(t), "agent.backfill_cancelled")

	// Somebody cancels one.
	b.turn(t, map[knowledge.FeatureName]bool{agentOn: true})
	job, err := b.all.Backfill.Start(t.Context(), b.to, knowledge.BackfillRequest{})
	require.NoError(t, err)
	_, err = b.all.Jobs.Cancel(t.Context(), b.to, job.ID)
	require.NoError(t, err)
	assert.Equal(t, knowledge.JobCancelled, b.work(t, job.ID).State)
}

func TestM17_AModelThatIsAway(t *testing.T) {
	t.Parallel()
	b := withModel(t)
	b.mails(t, 8)
	b.server.Answer(func(llmtest.Request) llmtest.Reply { return llmtest.Fail(401) })
	b.turn(t, map[knowledge.FeatureName]bool{agentOn: true})
	j := b.work(t, b.jobsOf(t, knowledge.JobBackfill)[0].ID)
	assert.Equal(t, knowledge.JobFailed, j.State)
	assert.Contains(t, *j.LastError, "in a row")
	assert.Equal(t, 4, j.Errors)
}

func TestM19_RelationBackfill(t *testing.T) {
	t.Parallel()
	b := withModel(t)
	for i := range 60 {
		b.entry(t, fmt.Sprintf("Title %02d", i), fmt.Sprintf("apples number %d are red", i))
	}
	b.server.Answer(func(llmtest.Request) llmtest.Reply { return saysLinks(link{0, 1, "supports", 0.9, ""}) })
	b.turn(t, map[knowledge.FeatureName]bool{linkerOn: true})
	jobs := b.jobsOf(t, knowledge.JobRelationBackfill)
	require.Len(t, jobs, 1)
	assert.Contains(t, b.actions(t), "knowledge.edge_backfill_started")
	j := b.work(t, jobs[0].ID)
	assert.Equal(t, knowledge.JobSucceeded, j.State)
	assert.Equal(t, 60, j.Scanned)
	assert.Contains(t, j.Counts, knowledge.Count{Key: "scheduled", Count: 60})
	assert.Contains(t, j.Counts, knowledge.Count{Key: "modelCalls", Count: 60})
	b.turn(t, map[knowledge.FeatureName]bool{linkerOn: false})
	b.turn(t, map[knowledge.FeatureName]bool{linkerOn: true})
	assert.Len(t, b.jobsOf(t, knowledge.JobRelationBackfill), 1, "once ever")
}
