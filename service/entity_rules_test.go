package service_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

func TestA2_A7_TypesOfAWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.upsert(t, b.to, knowledge.EntityDraft{Type: "Zeppelin", Name: "one"})
	b.upsert(t, b.to, knowledge.EntityDraft{Type: "Air ship", Name: "two"})
	require.NoError(t, b.types.Seed(t.Context(), b.ws.ID), "A2 seeding again changes nothing")
	types, err := b.types.EntityTypes(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.Len(t, types, 15)
	var builtIn, custom []string
	for _, typ := range types {
		if typ.BuiltIn {
			require.Empty(t, custom, "A7 built-ins come first")
			builtIn = append(builtIn, typ.Key)
			continue
		}
		custom = append(custom, typ.Key)
	}
	require.IsIncreasing(t, builtIn)
	require.Equal(t, []string{"air_ship", "zeppelin"}, custom, "A6 an unknown type is made, A5 by its key")
	person, err := b.types.EntityTypesByKey(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, "an individual", *person["person"].Description, "A3")
	require.Equal(t, "#3b82f6", *person["person"].Color)
	require.Equal(t, "👤", *person["person"].Icon)
	require.NotEmpty(t, person["person"].ID, "A4")
}

func TestA6_TypesOfAWorkspaceAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var drafts []knowledge.EntityDraft
	for i := range knowledge.MaxEntityTypes {
		drafts = append(drafts, knowledge.EntityDraft{Type: "kind " + strings.Repeat("x", i+1)[:min(i+1, 50)] + string(rune('a'+i%26)) + string(rune('a'+i/26)), Name: "n"})
	}
	out, err := b.entities.UpsertMany(t.Context(), b.to, drafts, true)
	require.NoError(t, err)
	for _, o := range out {
		require.NoError(t, o.Err)
	}
	_, err = b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "one too many", Name: "n"})
	require.Equal(t, knowledge.CodeLimitExceeded, knowledge.CodeOf(err), "U")
	_, err = b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "person", Name: "n"})
	require.NoError(t, err, "what is there goes on")
}

func TestA8_EmptyNamesAreRejected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, c := range map[string]struct {
		draft knowledge.EntityDraft
		field string
		code  knowledge.Code
	}{
		"A8 no type":                {knowledge.EntityDraft{Type: " — ", Name: "x"}, "type", knowledge.CodeInvalidInput},
		"A8 no name":                {knowledge.EntityDraft{Type: "tool", Name: " \t"}, "name", knowledge.CodeInvalidInput},
		"A29 a long name":           {knowledge.EntityDraft{Type: "tool", Name: strings.Repeat("x", 1_001)}, "name", knowledge.CodeLimitExceeded},
		"A29 a long description":    {knowledge.EntityDraft{Type: "tool", Name: "x", Description: ptr(strings.Repeat("x", 100_001))}, "description", knowledge.CodeLimitExceeded},
		"A29 a long task":           {knowledge.EntityDraft{Type: "tool", Name: "x", TaskID: strings.Repeat("x", 513)}, "taskId", knowledge.CodeLimitExceeded},
		"A14 a confidence of 7":     {knowledge.EntityDraft{Type: "tool", Name: "x", Confidence: ptr(7.0)}, "confidence", knowledge.CodeInvalidInput},
		"U properties of 65 KiB":    {knowledge.EntityDraft{Type: "tool", Name: "x", Properties: map[string]any{"a": strings.Repeat("x", 65<<10)}}, "properties", knowledge.CodeLimitExceeded},
		"an identity without value": {knowledge.EntityDraft{Type: "tool", Name: "x", Identities: []knowledge.ContactIdentity{{Kind: "email"}}}, "identities.0.value", knowledge.CodeInvalidInput},
	} {
		_, err := b.entities.Upsert(t.Context(), b.to, c.draft)
		require.Equal(t, c.code, knowledge.CodeOf(err), name)
		var ours *knowledge.Error
		require.ErrorAs(t, err, &ours)
		require.Equal(t, c.field, ours.Field, name)
	}
	n, err := b.entities.Count(t.Context(), b.ws.ID, knowledge.EntityFilter{})
	require.NoError(t, err)
	require.Zero(t, n, "nothing was written")
}

func TestA9_A12_A19_WhatAnEntityKeeps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draft := knowledge.EntityDraft{
		Type: "service", Name: " Auth Service ", Aliases: []string{"login"}, Identities: []knowledge.ContactIdentity{{Kind: "Host", Value: "Auth.Local"}},
		Description: ptr("signs people in"), Properties: map[string]any{"port": 1.0, "nested": map[string]any{"a": []any{"b"}}}, TaskID: "t1",
	}
	made := b.upsert(t, b.auto, draft).Entity
	b.clock.advance(time.Hour)
	b.upsert(t, b.to, knowledge.EntityDraft{Type: "service", Name: "AUTH SERVICE", TaskID: "t2"})
	stored, err := b.entities.ByIDs(t.Context(), b.ws.ID, []string{made.ID})
	require.NoError(t, err)
	e := stored[made.ID]
	require.Equal(t, "Auth Service", e.Name, "A12 later casings do not rename")
	require.Equal(t, "auth service", e.NormalizedName)
	require.Equal(t, "auth-service", e.Slug)
	require.Equal(t, []string{"login"}, e.Aliases)
	require.Equal(t, []knowledge.ContactIdentity{{Kind: "host", Value: "auth.local"}}, e.Identities)
	require.Equal(t, draft.Properties, e.Properties, "A9")
	require.Equal(t, knowledge.ActorAuto, *e.DescriptionSource)
	require.Equal(t, knowledge.ActorManual, e.Source, "A19 the higher of both")
	require.Equal(t, "t1", *e.TaskID, "A19 the first writer's task stays")
	require.Equal(t, made.CreatedAt, e.CreatedAt)
	require.Equal(t, b.clock.Now(), e.UpdatedAt)
	require.Equal(t, b.clock.Now(), e.LastSeenAt)
}

func TestA28_DeleteTakesWhatHangsOnIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hub := b.upsert(t, b.to, knowledge.EntityDraft{Type: "service", Name: "hub", Aliases: []string{"centre"}, Identities: []knowledge.ContactIdentity{{Kind: "host", Value: "h"}}}).Entity
	other := b.upsert(t, b.to, knowledge.EntityDraft{Type: "service", Name: "other"}).Entity
	for _, d := range []knowledge.EdgeDraft{
		{From: knowledge.EntityRef{ID: hub.ID}, To: knowledge.EntityRef{ID: other.ID}, Type: "uses"},
		{From: knowledge.EntityRef{ID: other.ID}, To: knowledge.EntityRef{ID: hub.ID}, Type: "uses", ValidFrom: ptr(b.clock.Now().AddDate(-2, 0, 0)), ValidTo: ptr(b.clock.Now().AddDate(-1, 0, 0))},
	} {
		_, err := b.edges.Assert(t.Context(), b.to, d)
		require.NoError(t, err)
	}
	_, err := b.notes.Add(t.Context(), b.to, knowledge.ObservationDraft{Entity: knowledge.EntityRef{ID: hub.ID}, Text: "busy"})
	require.NoError(t, err)
	foreign := b.to
	foreign.Workspace = b.workspace(t).Key
	counts, err := b.entities.Delete(t.Context(), foreign, hub.ID)
	require.NoError(t, err)
	require.False(t, counts.Deleted, "R1 a foreign id is a missing one")
	counts, err = b.entities.Delete(t.Context(), b.to, hub.ID)
	require.NoError(t, err)
	require.Equal(t, knowledge.DeleteCounts{Deleted: true, Entities: 1, Edges: 2, Observations: 1}, *counts)
	counts, err = b.entities.Delete(t.Context(), b.to, hub.ID)
	require.NoError(t, err)
	require.False(t, counts.Deleted)
	for _, ref := range []knowledge.EntityRef{{Name: "centre"}, {Identity: &knowledge.ContactIdentity{Kind: "host", Value: "h"}}, {ID: hub.ID}} {
		_, err = b.entities.Find(t.Context(), b.ws.ID, ref)
		require.Equal(t, knowledge.CodeNotFound, knowledge.CodeOf(err))
	}
	sum, err := b.workspaces.Summary(t.Context(), b.ws, 5, knowledge.TimePoint{IncludeHistory: true})
	require.NoError(t, err)
	require.Zero(t, sum.Edges)
}

func TestA30_Statistics(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, d := range []knowledge.EntityDraft{{Type: "tool", Name: "a"}, {Type: "tool", Name: "b"}, {Type: "person", Name: "c"}} {
		b.upsert(t, b.to, d)
	}
	sum, err := b.workspaces.Summary(t.Context(), b.ws, 0, knowledge.TimePoint{})
	require.NoError(t, err)
	require.Equal(t, 3, sum.Entities)
	require.Equal(t, []knowledge.Count{{Key: "tool", Count: 2}, {Key: "person", Count: 1}}, sum.EntitiesByType)
}

func TestJ17_SubstringIsTheLastResort(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, confidence := range map[string]float64{"xkq7zz-alpha": 0.5, "xkq7zz-beta": 0.9} {
		b.upsert(t, b.to, knowledge.EntityDraft{Type: "tool", Name: name, Confidence: ptr(confidence)})
	}
	page, err := b.entities.Search(t.Context(), b.ws.ID, "q7z", nil, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	require.Equal(t, "xkq7zz-beta", page.Items[0].Entity.Name, "J17 by confidence")
	require.InDelta(t, 1.0, page.Items[0].Score, 1e-9)
	require.InDelta(t, 0.5, page.Items[1].Score, 1e-9)
	page, err = b.entities.Search(t.Context(), b.ws.ID, "%", nil, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Empty(t, page.Items, "no wildcards")
}

func TestJ16_ObservationsFillUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.upsert(t, b.to, knowledge.EntityDraft{Type: "tool", Name: "migration"})
	noted := b.upsert(t, b.to, knowledge.EntityDraft{Type: "service", Name: "billing"}).Entity
	_, err := b.notes.Add(t.Context(), b.to, knowledge.ObservationDraft{Entity: knowledge.EntityRef{ID: noted.ID}, Text: "The migration to Helsinki failed twice"})
	require.NoError(t, err)
	page, err := b.entities.Search(t.Context(), b.ws.ID, "migration Helsinki", nil, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, page.Items, 2)
	require.Equal(t, "billing", page.Items[1].Entity.Name)
	require.Less(t, page.Items[1].Score, page.Items[0].Score)
}

// G1, G2: what automation finds again becomes surer by a tenth each time, up to certainty.
func TestG2_FoundAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	auto := b.to
	auto.Caller.Actor = knowledge.ActorAuto
	for _, want := range []float64{0.85, 0.95, 1, 1} {
		up, err := b.entities.Upsert(t.Context(), auto, knowledge.EntityDraft{Type: "technology", Name: "Kafka"})
		require.NoError(t, err)
		require.InDelta(t, want, up.Entity.Confidence, 1e-9)
	}
}
