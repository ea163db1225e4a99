package service_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// aging is a workspace in which every task has something to do, in several steps of two.
type aging struct {
	*entryBundle
	anna *knowledge.Entity
}

func newAging(t *testing.T) *aging {
	t.Helper()
	a := &aging{entryBundle: withEntries(t)}
	old := &oldImport{bundle: a.bundle, ids: map[string]string{}}
	a.anna = a.person(t, "Anna")
	ben := a.person(t, "Ben")
	kafka, redis := a.thing(t, a.to, "kafka", 1), a.thing(t, a.to, "redis", 1)
	for i := range 5 {
		a.thing(t, a.auto, fmt.Sprint("service ", i), 0.85)
	}
	for _, name := range []string{"go", "rest"} {
		old.add(t, a.auto, "technology", name, "", nil)
	}
	old.add(t, a.auto, "organization", "Gmail", "", mailbox("domain", "gmail.com"))
	old.add(t, a.auto, "organization", "Accounts", "", mailbox("domain", "accounts.google.com"))
	old.add(t, a.auto, "person", "Shop", "", mailbox("email", "no-reply@shop.example"))
	ids := map[string]string{}
	for i, contact := range []*knowledge.Entity{a.anna, ben, a.anna} {
		for j := range 2 {
			title := fmt.Sprint("entry ", i, j)
			ids[title] = a.entry(t, title, title, about(contact), at(float32(i), 1), sure(0.9-0.1*float64(j)), mentions(kafka, redis)).ID
			a.clock.advance(time.Second)
		}
	}
	for i := range 3 {
		title := fmt.Sprint("expiring ", i)
		ids[title] = a.entry(t, title, title, func(d *knowledge.EntryDraft) { d.ExpiresInDays = ptr(30.0) }).ID
		a.clock.advance(time.Second)
	}
	a.relation(t, knowledge.Relation{FromID: ids["entry 01"], ToID: ids["expiring 0"], Type: knowledge.RelationSupports, Confidence: 0.5, ConfidenceTag: knowledge.TagAmbiguous, Provenance: knowledge.ProvenanceLLM})
	a.relation(t, knowledge.Relation{FromID: ids["entry 11"], ToID: ids["entry 00"], Type: knowledge.RelationCauses, Confidence: 0.5, ConfidenceTag: knowledge.TagAmbiguous, Provenance: knowledge.ProvenanceLLM})
	a.days(31)
	return a
}

// picture is what a workspace holds, by names, without what differs in every workspace.
func (a *aging) picture(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, r := range a.cypher(t, `MATCH (n:Entry {workspaceId: $ws})
RETURN 'entry ' + n.title + '|' + n.content + '|' + round(n.confidence, 6) + '|' + reduce(s = '', x IN COLLECT { MATCH (n)-[:ABOUT|MENTIONS]->(e) RETURN e.name ORDER BY e.name } | s + x + ',') AS line
UNION ALL
MATCH (n:Entry {workspaceId: $ws})-[r]->(m:Entry)
RETURN 'relation ' + n.title + ' ' + type(r) + ' ' + m.title + ' ' + r.confidence + ' ' + coalesce(r.origin, '') AS line
UNION ALL
MATCH (e:Entity {workspaceId: $ws})
RETURN 'entity ' + e.name + '|' + e.source + '|' + round(e.confidence, 6) AS line`, map[string]any{"ws": a.ws.ID}) {
		line, _ := r.Values[0].(string)
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// allTasks are the tasks that need no embedder.
func allTasks() []knowledge.MaintenanceTask {
	return slices.DeleteFunc(knowledge.MaintenanceTasks(), func(t knowledge.MaintenanceTask) bool { return t == knowledge.TaskReembed })
}

// cutTx does the work of a transaction and then fails instead of committing, once.
type cutTx struct {
	service.Transactor
	at, seen int
}

var errCut = errors.New("the connection was cut")

func (f *cutTx) Atomically(ctx context.Context, work func(ctx context.Context) error) error {
	if f.seen++; f.seen == f.at {
		return f.Transactor.Atomically(ctx, func(ctx context.Context) error {
			if err := work(ctx); err != nil {
				return err
			}
			return errCut
		})
	}
	return f.Transactor.Atomically(ctx, work)
}

// N13: a run that is interrupted before any step, run again and interrupted in the commit of
// that step, and run again ends as an uninterrupted one, with the same counts.
func TestN13_InterruptedAnywhere(t *testing.T) {
	t.Parallel()
	for _, task := range allTasks() {
		t.Run(string(task), func(t *testing.T) {
			t.Parallel()
			whole := newAging(t)
			steps := 0
			counted := whole.server(inBatches(2), func(c *service.Config) {
				c.Upkeep.BetweenSteps = func(context.Context, *knowledge.MaintenanceRun) error { steps++; return nil }
			})
			want := whole.maintainBy(t, counted, forced(task))
			picture := whole.picture(t)
			require.Greater(t, steps, 1, "the test is about several steps")
			for n := range steps {
				cut := newAging(t)
				_, err := cut.server(inBatches(2), interruptedAt(n)).Upkeep.Run(t.Context(), cut.to, forced(task))
				require.ErrorIs(t, err, context.Canceled)
				tx := &cutTx{Transactor: cut.store, at: 2} // the first claims, the second is the step
				_, err = cut.server(inBatches(2), func(c *service.Config) { c.Upkeep.Tx = tx }).Upkeep.Run(t.Context(), cut.to, forced(task))
				require.ErrorIs(t, err, errCut)
				got := cut.maintainBy(t, cut.server(inBatches(2)), forced(task))
				assert.Equal(t, picture, cut.picture(t), "step %d", n)
				assert.Equal(t, want.Counts, got.Counts, "step %d", n)
				assert.Nil(t, got.Error)
			}
		})
	}
}

// N13: who lost the lease while a step was under way writes nothing.
func TestN13_ALostLeaseWritesNothing(t *testing.T) {
	t.Parallel()
	a := newAging(t)
	before := a.picture(t)
	slow := a.server(inBatches(2), func(c *service.Config) {
		c.Upkeep.BetweenSteps = func(context.Context, *knowledge.MaintenanceRun) error {
			a.cypher(t, "MATCH (m:MaintenanceState {workspaceId: $ws}) SET m.holder = 'other', m.term = m.term + 1", map[string]any{"ws": a.ws.ID})
			return nil
		}
	})
	run, err := slow.Upkeep.Run(t.Context(), a.to, forced(knowledge.TaskEntryDecay))
	require.NoError(t, err)
	assert.Equal(t, knowledge.OutcomeHeld, run.Outcome)
	assert.Equal(t, before, a.picture(t))
}

// N13: two runs at once, in one server or two: one runs, the other is told who does.
func TestN13_OneAtATime(t *testing.T) {
	t.Parallel()
	a := newAging(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	first := true
	busy := a.server(inBatches(2), func(c *service.Config) {
		c.Upkeep.BetweenSteps = func(context.Context, *knowledge.MaintenanceRun) error {
			if first {
				first = false
				close(entered)
				<-leave
			}
			return nil
		}
	})
	done := make(chan *knowledge.MaintenanceRun, 1)
	go func() {
		run, err := busy.Upkeep.Run(context.WithoutCancel(t.Context()), a.to, forced(knowledge.TaskDedup))
		assert.NoError(t, err)
		done <- run
	}()
	<-entered
	assert.Equal(t, knowledge.OutcomeHeld, a.maintainBy(t, busy, forced(knowledge.TaskDedup)).Outcome, "the same server")
	assert.Equal(t, knowledge.OutcomeHeld, a.maintain(t, forced(knowledge.TaskDedup)).Outcome, "another server")
	assert.Equal(t, knowledge.OutcomeRan, a.maintain(t, forced(knowledge.TaskEntryDecay)).Outcome, "another task")
	close(leave)
	assert.Equal(t, 3, (<-done).Count("merged"))
}
