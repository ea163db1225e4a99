package service_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func (b *bundle) thing(t *testing.T, to service.Target, name string, confidence float64) *knowledge.Entity {
	t.Helper()
	up, err := b.entities.Upsert(t.Context(), to, knowledge.EntityDraft{Type: "service", Name: name, Confidence: &confidence})
	require.NoError(t, err)
	return up.Entity
}

func (b *bundle) confidence(t *testing.T, id string) float64 {
	t.Helper()
	found, err := b.entities.ByIDs(t.Context(), b.ws.ID, []string{id})
	require.NoError(t, err)
	require.NotNil(t, found[id])
	return found[id].Confidence
}

// G3, G6: the worked figures, run by run, and how many runs it takes to the floor.
func TestG3_G6_N12_EntityDecay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	to := map[float64]int{0.68: 16, 0.72: 18, 0.82: 20, 0.85: 21, 1.0: 24}
	ids := map[float64]string{}
	for start := range to {
		ids[start] = b.thing(t, b.auto, fmt.Sprint("from ", start), start).ID
	}
	before, err := b.entities.ByIDs(t.Context(), b.ws.ID, []string{ids[0.85]})
	require.NoError(t, err)
	b.days(31)
	steps := map[int]float64{1: 0.8075, 2: 0.767125, 3: 0.728769, 4: 0.692330, 5: 0.657714, 20: 0.304713, 21: 0.3, 24: 0.3}
	floor := map[float64]int{}
	for n := 1; n <= 25; n++ {
		run := b.maintain(t, service.MaintenanceCall{Task: knowledge.TaskEntityDecay})
		require.Equal(t, knowledge.OutcomeRan, run.Outcome)
		if want, ok := steps[n]; ok {
			assert.InDelta(t, want, b.confidence(t, ids[0.85]), 5e-7, "run %d", n)
		}
		for start, id := range ids {
			if floor[start] == 0 && b.confidence(t, id) == 0.3 {
				floor[start] = n
			}
		}
		if n == 25 {
			assert.Zero(t, run.Count("decayed"), "at the floor")
			assert.Equal(t, len(ids), run.Count("processed"))
		}
		b.days(1)
	}
	assert.Equal(t, to, floor)
	after, err := b.entities.ByIDs(t.Context(), b.ws.ID, []string{ids[0.85]})
	require.NoError(t, err)
	assert.Equal(t, before[ids[0.85]].UpdatedAt, after[ids[0.85]].UpdatedAt)
	assert.Equal(t, before[ids[0.85]].LastSeenAt, after[ids[0.85]].LastSeenAt)
}

// G5, G7, G8, G9: who fades, and from when on.
func TestG7_WhoDecays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	half := b.server()
	half.Upkeep.AddDecay(b.store, half.Idempotency, knowledge.EntityDecayPolicy{Factor: 0.5, Floor: 0.3, Grace: 30 * 24 * time.Hour})
	b.thing(t, b.auto, "stale", 0.85)
	manual := b.thing(t, b.to, "manual", 1)
	low := b.thing(t, b.auto, "low", 0.2)
	agent := b.thing(t, b.auto, "confirmed", 0.85)
	b.thing(t, b.agent, "confirmed", 0.85)
	b.clock.advance(time.Microsecond)
	boundary := b.thing(t, b.auto, "seen exactly 30 days ago", 0.85)
	b.days(30)
	run := b.maintainBy(t, half, forced(knowledge.TaskEntityDecay))
	stale := b.thing(t, b.auto, "stale", 0.85) // and seen anew
	assert.Equal(t, 1, run.Count("decayed"), "G7")
	assert.InDelta(t, 0.425+0.1, stale.Confidence, 1e-9, "halved, and raised by being seen (G2)")
	assert.InDelta(t, 1.0, b.confidence(t, manual.ID), 1e-9, "G5: manual")
	assert.Greater(t, b.confidence(t, agent.ID), 0.84, "G5: confirmed by an agent")
	assert.InDelta(t, 0.2, b.confidence(t, low.ID), 1e-9, "G9: not raised")
	assert.InDelta(t, 0.85, b.confidence(t, boundary.ID), 1e-9, "G8: exactly 30 days")
	b.thing(t, b.auto, "seen exactly 30 days ago", 0.85)
	assert.Zero(t, b.maintainBy(t, half, forced(knowledge.TaskEntityDecay)).Count("decayed"), "G7: after it was seen")
}

// G4: at most once in 24 hours in a workspace, also by another server; a forced run
// ignores the limit and resets the clock.
func TestG4_OnceADay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.server()
	call := service.MaintenanceCall{Task: knowledge.TaskEntityDecay}
	assert.Equal(t, knowledge.OutcomeRan, b.maintain(t, call).Outcome)
	b.days(0.99)
	assert.Equal(t, knowledge.OutcomeNotDue, b.maintainBy(t, other, call).Outcome)
	assert.Equal(t, knowledge.OutcomeRan, b.maintainBy(t, other, forced(call.Task)).Outcome)
	b.days(0.5)
	assert.Equal(t, knowledge.OutcomeNotDue, b.maintain(t, call).Outcome, "the forced run counts")
	b.days(0.5)
	assert.Equal(t, knowledge.OutcomeRan, b.maintain(t, call).Outcome)
}

// G10–G13: the worked figures of entries.
func TestG10_G13_EntryDecay(t *testing.T) {
	t.Parallel()
	never := -1.0
	for _, c := range []struct {
		name              string
		typ               knowledge.EntryType
		start, days, used float64 // used: days before the run
		want              float64
	}{
		{"G-E1", knowledge.EntryFact, 0.8, 10, never, 0.760888},
		{"G-E2", knowledge.EntryFact, 0.8, 10, 0, 0.8},
		{"G-E3", knowledge.EntryFact, 0.8, 90, never, 0.509527},
		{"G-E4", knowledge.EntryDecision, 0.8, 30, never, 0.753366},
		{"G-E5", knowledge.EntryPreference, 0.8, 30, never, 0.635458 * 0.8},
		{"G-E7", knowledge.EntryGoal, 0.9, 10, 14, 0.663682},
		{"G-E8", knowledge.EntryGoal, 0.9, 10, 60, 0.597314},
		{"G-E9", knowledge.EntryRelationship, 0.8, 30, never, 0.591760},
		{"G-E10", knowledge.EntryActionItem, 0.8, 5, never, 0.619025},
		{"G-E11", knowledge.EntryActionItem, 0.5, 100, never, 0.1},
		{"G-E12", knowledge.EntryEvent, 0.9, 400, never, 0.9},
		{"G-E13", knowledge.EntryFact, 0.8, 0.5, never, 0.8},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := withEntries(t)
			e := b.entry(t, "title", "content", func(d *knowledge.EntryDraft) { d.Type, d.Confidence = c.typ, c.start })
			if c.used >= 0 {
				at := b.clock.Now().Add(time.Duration((c.days - c.used) * 24 * float64(time.Hour)))
				require.NoError(t, b.store.MarkAccessed(t.Context(), []knowledge.AccessMark{{WorkspaceID: b.ws.ID, EntryID: e.ID, Count: 1, At: at}}))
			}
			b.days(c.days)
			run := b.maintain(t, forced(knowledge.TaskEntryDecay))
			after := b.entryByID(t, e.ID)
			assert.InDelta(t, c.want, after.Confidence, 5e-7)
			changed := c.want != c.start
			assert.Equal(t, changed, run.Count("decayed") == 1)
			assert.Equal(t, changed, after.UpdatedAt.Equal(b.clock.Now()), "updatedAt is now where it was written, and stays where not")
			assert.Equal(t, e.LastValidatedAt, after.LastValidatedAt)
		})
	}
}

func (b *entryBundle) entryByID(t *testing.T, id string) *knowledge.Entry {
	t.Helper()
	found, err := b.entries.ByIDs(t.Context(), b.ws.ID, []string{id})
	require.NoError(t, err)
	return found[id]
}

// G14, G15, G16: decay starts from the confidence at last validation, however often it runs.
func TestG14_EntryDecayIsAnchored(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	often := b.entry(t, "often", "looked at every day")
	for range 10 {
		b.days(1)
		b.maintain(t, forced(knowledge.TaskEntryDecay))
		b.maintain(t, forced(knowledge.TaskEntryDecay))
	}
	assert.InDelta(t, 0.760888, b.entryByID(t, often.ID).Confidence, 1e-3, "as after one run")
	used := b.entryByID(t, often.ID).Confidence
	require.NoError(t, b.store.MarkAccessed(t.Context(), []knowledge.AccessMark{{WorkspaceID: b.ws.ID, EntryID: often.ID, Count: 1, At: b.clock.Now()}}))
	b.maintain(t, forced(knowledge.TaskEntryDecay))
	assert.InDelta(t, used, b.entryByID(t, often.ID).Confidence, 1e-9, "decay never raises")
	validated, err := b.entries.Validate(t.Context(), b.to, often.ID)
	require.NoError(t, err)
	assert.InDelta(t, used+0.2*(1-used), validated.Entry.Confidence, 1e-9, "G16")
	b.days(10)
	b.maintain(t, forced(knowledge.TaskEntryDecay))
	assert.InDelta(t, validated.Entry.Confidence*0.951110*1, b.entryByID(t, often.ID).Confidence, 1e-3, "from the validation on")
}

// G15: what somebody edits while it is decided is not overwritten.
func TestG15_AnEditWins(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	e := b.entry(t, "title", "content")
	b.days(50)
	stale := []knowledge.Fade{{ID: e.ID, Was: e.Confidence, To: 0.1, ValidatedAt: e.LastValidatedAt}}
	_, err := b.entries.Update(t.Context(), b.to, knowledge.EntryPatch{ID: e.ID, Content: ptr("said anew")})
	require.NoError(t, err)
	changed, err := b.store.FadeEntries(t.Context(), b.ws.ID, stale, b.clock.Now())
	require.NoError(t, err)
	assert.Zero(t, changed)
	assert.InDelta(t, 0.8, b.entryByID(t, e.ID).Confidence, 1e-9)
}

// N2: at most 500 relations a direction in one run; the entry goes when fewer are left.
func TestN2_ExpiryInCappedBatches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ out, in, runs int }{
		"few":                     {3, 2, 1},
		"one less than a batch":   {499, 0, 1},
		"exactly a batch":         {500, 1, 2},
		"more than two, outgoing": {1200, 1, 3},
		"more than one, incoming": {0, 700, 2},
	} {
		t.Run("N2 "+name, func(t *testing.T) {
			t.Parallel()
			b := withEntries(t)
			gone := b.entry(t, "gone", "expires", func(d *knowledge.EntryDraft) { d.ExpiresInDays = ptr(1.0) })
			b.entry(t, "stays", "does not expire")
			b.crowd(t, gone.ID, c.out, c.in)
			b.days(1)
			for n := 1; n <= c.runs; n++ {
				require.Len(t, b.idsOfEntries(t), 2+c.out+c.in, "before run %d", n)
				run := b.maintain(t, forced(knowledge.TaskExpiry))
				assert.LessOrEqual(t, run.Count("relations"), 1000)
				assert.Equal(t, n == c.runs, run.Count("expired") == 1, "run %d", n)
			}
			assert.NotContains(t, b.idsOfEntries(t), gone.ID)
			assert.Zero(t, b.maintain(t, forced(knowledge.TaskExpiry)).Count("expired"))
		})
	}
}

// crowd relates an entry to many new ones.
func (b *entryBundle) crowd(t *testing.T, id string, out, in int) {
	t.Helper()
	b.cypher(t, `
MATCH (n:Entry {id: $id})
CALL (n) {
  UNWIND range(1, $out) AS i
  CREATE (o:Entry {id: $id + '_o' + i, workspaceId: n.workspaceId, title: 'o', content: 'o', type: 'fact', contactIds: [], createdAt: n.createdAt, lastValidatedAt: n.createdAt, confidence: 0.8, baseConfidence: 0.8})
  CREATE (n)-[:ENTRY_SUPPORTS {id: $id + '_ro' + i, workspaceId: n.workspaceId, createdAt: n.createdAt}]->(o)
}
CALL (n) {
  UNWIND range(1, $in) AS i
  CREATE (o:Entry {id: $id + '_i' + i, workspaceId: n.workspaceId, title: 'i', content: 'i', type: 'fact', contactIds: [], createdAt: n.createdAt, lastValidatedAt: n.createdAt, confidence: 0.8, baseConfidence: 0.8})
  CREATE (n)<-[:ENTRY_SUPPORTS {id: $id + '_ri' + i, workspaceId: n.workspaceId, createdAt: n.createdAt}]-(o)
}`, map[string]any{"id": id, "out": out, "in": in})
}

func (b *entryBundle) idsOfEntries(t *testing.T) []string {
	t.Helper()
	rows := b.cypher(t, "MATCH (n:Entry {workspaceId: $ws}) RETURN n.id AS id", map[string]any{"ws": b.ws.ID})
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i], _ = r.Values[0].(string)
	}
	return out
}

// N1, N3: the daily run removes what has expired and lets the rest fade, in batches.
func TestN1_DailyRun(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	anna := b.person(t, "Anna")
	for i := range 7 {
		b.entry(t, fmt.Sprint("fact ", i), "fades", about(anna))
	}
	gone := b.entry(t, "gone", "expires", about(anna), func(d *knowledge.EntryDraft) { d.ExpiresInDays = ptr(2.0) })
	_, err := b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: gone.ID}, To: knowledge.EntryRef{ID: b.entry(t, "other", "fades too").ID}, Type: knowledge.RelationSupports, Confidence: 1})
	require.NoError(t, err)
	b.days(2)
	run := b.maintainBy(t, b.server(inBatches(2)), forced(knowledge.TaskEntryDecay))
	assert.Equal(t, []knowledge.Count{{Key: "processed", Count: 9}, {Key: "decayed", Count: 8}, {Key: "expired", Count: 1}, {Key: "relations", Count: 1}}, run.Counts)
	assert.Len(t, b.idsOfEntries(t), 8)
	again := b.maintain(t, forced(knowledge.TaskEntryDecay))
	assert.Zero(t, again.Count("decayed")+again.Count("expired"), "a second run changes nothing")
}

// N3: ten thousand entries are gone through in batches of 200, each once.
func TestN3_TenThousandEntries(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	b.cypher(t, `UNWIND range(1, 10000) AS i
CREATE (:Entry {id: $ws + '_' + i, workspaceId: $ws, title: 'entry ' + i, content: 'content', type: 'fact', contactIds: [], createdAt: $at + duration({milliseconds: i / 50}),
  lastValidatedAt: $at, confidence: 0.8, baseConfidence: 0.8, expiresAt: CASE i % 10 WHEN 0 THEN $at + duration('P5D') END})`, map[string]any{"ws": b.ws.ID, "at": b.clock.Now()})
	b.days(10)
	steps := 0
	s := b.server(func(c *service.Config) {
		c.Upkeep.BetweenSteps = func(context.Context, *knowledge.MaintenanceRun) error { steps++; return nil }
	})
	run := b.maintainBy(t, s, forced(knowledge.TaskEntryDecay))
	assert.Equal(t, []knowledge.Count{{Key: "processed", Count: 10_000}, {Key: "decayed", Count: 9_000}, {Key: "expired", Count: 1_000}, {Key: "relations", Count: 0}}, run.Counts)
	assert.Equal(t, 51, steps)
	again := b.maintain(t, forced(knowledge.TaskEntryDecay))
	assert.Equal(t, 9_000, again.Count("processed"))
	assert.Zero(t, again.Count("decayed"))
}

// G4: a workspace that was decayed less than 24 hours ago is not due, whatever the schedule.
func TestG4_NotDueBySchedule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.days(2)
	due := func(task knowledge.MaintenanceTask) bool {
		found, err := b.store.DueForMaintenance(t.Context(), task, b.clock.Now(), b.clock.Now(), "", 100_000)
		require.NoError(t, err)
		return slices.ContainsFunc(found, func(w *knowledge.Workspace) bool { return w.ID == b.ws.ID })
	}
	assert.True(t, due(knowledge.TaskEntityDecay), "never run")
	b.maintain(t, forced(knowledge.TaskEntityDecay))
	b.maintain(t, forced(knowledge.TaskEntryDecay))
	b.days(0.9)
	assert.False(t, due(knowledge.TaskEntityDecay))
	assert.True(t, due(knowledge.TaskEntryDecay), "a run by hand is not the schedule's")
	b.days(0.1)
	assert.True(t, due(knowledge.TaskEntityDecay))
	assert.True(t, due(knowledge.TaskCleanup))
	b.maintain(t, service.MaintenanceCall{Task: knowledge.TaskCleanup})
	assert.False(t, due(knowledge.TaskCleanup), "H1: once is enough")
}

// G19: what joins entries does not fade with them.
func TestG19_RelationsDoNotDecay(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	from, to := b.entry(t, "from", "one thing"), b.entry(t, "to", "another thing")
	save, err := b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: from.ID}, To: knowledge.EntryRef{ID: to.ID}, Type: knowledge.RelationSupports, Confidence: 0.7})
	require.NoError(t, err)
	b.days(90)
	run := b.maintain(t, forced(knowledge.TaskEntryDecay))
	assert.Equal(t, 2, run.Count("decayed"))
	left, err := b.entries.RelationsByID(t.Context(), b.ws.ID, []string{save.Relation.ID})
	require.NoError(t, err)
	assert.InDelta(t, 0.7, left[save.Relation.ID].Confidence, 0)
}
