package service_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func (b *entryBundle) remember(t *testing.T, to service.Target, d knowledge.RememberDraft) *knowledge.Remembered {
	t.Helper()
	out, err := b.all.Remember.Remember(t.Context(), to, d)
	require.NoError(t, err)
	return out
}

func TestT21_RememberAText(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	dana, apollo := b.person(t, "Dana"), b.entityOf(t, "project", "Apollo")
	when := b.clock.Now().Add(-time.Hour)
	d := knowledge.RememberDraft{
		Text:  "Acme moved to the Enterprise plan. The import is written in Python.",
		About: []knowledge.EntityRef{{Name: "dana"}, {ID: apollo.ID}, {Name: "Acme", Type: "organization"}, {Name: "Bo"}, {Identity: &knowledge.ContactIdentity{Kind: "email", Value: "kim@acme.com"}}},
		Type:  knowledge.EntryDecision, OccurredAt: &when, CreateMissing: true, ThreadID: "th",
	}
	out := b.remember(t, b.agent, d)
	require.Len(t, out.Entries, 1)
	require.True(t, out.Entries[0].Created)
	e := out.Entries[0].Entry
	require.Equal(t, "Acme moved to the Enterprise plan", e.Title)
	require.Equal(t, knowledge.EntryDecision, e.Type)
	require.Equal(t, when, *e.ValidFrom)
	names := map[string]string{}
	made := map[string]bool{}
	for _, u := range out.Entities {
		names[u.Entity.ID], made[u.Entity.Name] = u.Entity.TypeKey+" "+u.Entity.Name, u.Created
	}
	var contacts, mentions []string
	for _, id := range e.ContactIDs {
		contacts = append(contacts, names[id])
	}
	for _, id := range e.MentionIDs {
		mentions = append(mentions, names[id])
	}
	require.ElementsMatch(t, []string{"person Dana", "organization Acme", "person Bo", "person kim@acme.com"}, contacts)
	require.ElementsMatch(t, []string{"project Apollo", "technology Python"}, mentions)
	require.Equal(t, map[string]bool{"Dana": false, "Apollo": false, "Acme": true, "Bo": true, "kim@acme.com": true, "Python": true}, made)
	require.Equal(t, []string{e.Title}, titles(b.ask(t, knowledge.RecallQuery{Query: "enterprise", Scope: contactScope(dana)})))

	again := b.remember(t, b.agent, d)
	require.True(t, again.Entries[0].Merged, "K21")
	require.Equal(t, e.ID, again.Entries[0].Entry.ID)
	for _, u := range again.Entities {
		require.False(t, u.Created)
	}
}

func TestT21_RememberTurns(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	b.entry(t, "Before", "Earlier in the talk", inThread("talk"), func(d *knowledge.EntryDraft) { d.SourceID = "0" })
	b.clock.advance(time.Minute)
	at := b.clock.Now()
	out := b.remember(t, b.agent, knowledge.RememberDraft{ThreadID: "talk", CreateMissing: true, Turns: []knowledge.Turn{
		{ID: "1", Speaker: "Caroline", Text: "I saw Melanie yesterday.", At: &at}, {ID: "2", Speaker: "Melanie", Text: "Yes.", At: &at}, {ID: "3", Speaker: "Melanie", Text: "Yes.", At: &at}, {ID: "4", Speaker: "assistant", Text: "Noted."},
	}})
	require.Len(t, out.Entries, 4, "two that say the same are two turns")
	ids := map[string]bool{}
	for _, s := range out.Entries {
		require.True(t, s.Created)
		require.Empty(t, s.Entry.ContactIDs, "who speaks is no contact")
		ids[s.Entry.ID] = true
	}
	require.Len(t, ids, 4)
	require.Len(t, out.Entities, 2, "a role is nobody")
	require.Len(t, out.Entries[0].Entry.MentionIDs, 2, "the speaker, and whom she names")
	weights := map[[2]int]float64{}
	place := map[string]int{}
	for i, s := range out.Entries {
		place[s.Entry.ID] = i + 1
	}
	for _, r := range out.Relations {
		require.Equal(t, knowledge.ProvenanceDeterministic, r.Relation.Provenance)
		weights[[2]int{place[r.Relation.FromID], place[r.Relation.ToID]}] = *r.Relation.Weight
	}
	require.InDelta(t, 0.5, weights[[2]int{1, 2}], 0, "M9")
	require.InDelta(t, 0.25, weights[[2]int{1, 3}], 0, "M9 the weight falls with the distance in messages")
	require.InDelta(t, 0.5, weights[[2]int{1, 0}], 0)
	require.InDelta(t, 0.125, weights[[2]int{4, 0}], 0)
	require.Len(t, out.Relations, 10)
}

func TestT21_BadRemembering(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	foreign := withEntries(t).person(t, "Foreign")
	for name, c := range map[string]struct {
		field string
		code  knowledge.Code
		draft knowledge.RememberDraft
	}{
		"nothing":                    {"text", knowledge.CodeInvalidInput, knowledge.RememberDraft{Text: " "}},
		"both":                       {"turns", knowledge.CodeInvalidInput, knowledge.RememberDraft{Text: "a", Turns: []knowledge.Turn{{Speaker: "a", Text: "b"}}}},
		"a turn of nobody":           {"turns.0.speaker", knowledge.CodeInvalidInput, knowledge.RememberDraft{Turns: []knowledge.Turn{{Text: "b"}}}},
		"a turn of nothing":          {"turns.1.text", knowledge.CodeInvalidInput, knowledge.RememberDraft{Turns: []knowledge.Turn{{Speaker: "a", Text: "b"}, {Speaker: "a"}}}},
		"an unknown type":            {"type", knowledge.CodeInvalidInput, knowledge.RememberDraft{Text: "a", Type: "rumour"}},
		"an id of another workspace": {"about.0", knowledge.CodeNotFound, knowledge.RememberDraft{Text: "a", CreateMissing: true, About: []knowledge.EntityRef{{ID: foreign.ID}}}},
		"missing, not to be made":    {"about.0", knowledge.CodeNotFound, knowledge.RememberDraft{Text: "a", About: []knowledge.EntityRef{{Name: "Nobody"}}}},
		"F3 the marker":              {"", knowledge.CodeNoMemory, knowledge.RememberDraft{Text: "a secret <no-memory>"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.all.Remember.Remember(t.Context(), b.agent, c.draft)
			var e *knowledge.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.code, e.Code)
			require.Equal(t, c.field, e.Field)
		})
	}
	out := b.remember(t, b.auto, knowledge.RememberDraft{Text: "a secret <no-memory>"})
	require.Equal(t, "NO_MEMORY", *out.Skipped, "an automatic writer is turned away silently")
	require.Empty(t, out.Entries)
}

func TestT21_AllOrNothing(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	broken := service.NewRemember(service.RememberConfig{
		Entries: b.entries, Entities: b.all.Entities, Linker: b.all.Linker, Workspaces: b.store, Memory: b.all.Memory, Tx: failingTx{b.store},
		Features: func(*knowledge.Workspace) []knowledge.Feature {
			return knowledge.EffectiveFeatures(knowledge.Deployment{}, nil)
		},
	})
	_, err := broken.Remember(t.Context(), b.agent, knowledge.RememberDraft{Text: "a text", About: []knowledge.EntityRef{{Name: "Somebody"}}, CreateMissing: true})
	require.Error(t, err)
	found, err := b.all.Entities.Resolve(t.Context(), b.ws.ID, "Somebody", "")
	require.NoError(t, err)
	require.Empty(t, found)
	n, err := b.entries.Count(t.Context(), b.ws.ID, knowledge.EntryFilter{}, knowledge.TimePoint{})
	require.NoError(t, err)
	require.Zero(t, n)
}

// failingTx fails when everything is written and before it is committed.
type failingTx struct{ service.Transactor }

func (f failingTx) Atomically(ctx context.Context, do func(context.Context) error) error {
	return f.Transactor.Atomically(ctx, func(ctx context.Context) error {
		if err := do(ctx); err != nil {
			return err
		}
		return errors.New("lost the connection")
	})
}

func TestT21_ManyAgentsAtOnce(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	var wg sync.WaitGroup
	outs := make([]*knowledge.Remembered, 16)
	for i := range outs {
		wg.Go(func() {
			out, err := b.all.Remember.Remember(t.Context(), b.agent, knowledge.RememberDraft{Text: "Acme likes green parrots", About: []knowledge.EntityRef{{Name: "Acme", Type: "organization"}}, CreateMissing: true, ThreadID: "t"})
			if err == nil {
				outs[i] = out
			}
		})
	}
	wg.Wait()
	created := 0
	for _, out := range outs {
		require.NotNil(t, out)
		require.Equal(t, outs[0].Entries[0].Entry.ID, out.Entries[0].Entry.ID)
		if out.Entries[0].Created {
			created++
		}
	}
	require.Equal(t, 1, created)
}
