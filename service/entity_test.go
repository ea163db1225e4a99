package service_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func (b *bundle) upsert(t *testing.T, to service.Target, d knowledge.EntityDraft) *knowledge.EntityUpsert {
	t.Helper()
	u, err := b.entities.Upsert(t.Context(), to, d)
	require.NoError(t, err)
	return u
}

func TestA26_ManualDescriptionStands(t *testing.T) {
	t.Parallel()
	b := setup(t)
	dana := b.upsert(t, b.to, knowledge.EntityDraft{Type: "person", Name: "Dana", Description: ptr("Head of design")})
	auto := b.upsert(t, b.auto, knowledge.EntityDraft{Type: "person", Name: " dana", Description: ptr("someone")})
	require.Equal(t, dana.Entity.ID, auto.Entity.ID)
	require.False(t, auto.Created)
	require.True(t, auto.KeptDescription)
	require.Equal(t, "Head of design", *auto.Entity.Description)
	require.InDelta(t, 1.0, auto.Entity.Confidence, 1e-9)
	agent := b.upsert(t, b.agent, knowledge.EntityDraft{Type: "person", Name: "DANA", Description: ptr("Designer")})
	require.True(t, agent.KeptDescription)
	require.Equal(t, knowledge.ActorManual, agent.Entity.Source)
	updated, err := b.entities.Update(t.Context(), b.agent, knowledge.EntityPatch{ID: dana.Entity.ID, Description: ptr("Designer"), Confidence: ptr(0.4)})
	require.NoError(t, err)
	require.True(t, updated.KeptDescription)
	stored, err := b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{ID: dana.Entity.ID})
	require.NoError(t, err)
	require.Equal(t, "Head of design", *stored.Description)
	require.InDelta(t, 0.4, stored.Confidence, 1e-9)
	require.Equal(t, "Dana", stored.Name)
}

func TestA27_AgentRaisesAuto(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.upsert(t, b.auto, knowledge.EntityDraft{Type: "technology", Name: "Redis"})
	require.InDelta(t, 0.85, first.Entity.Confidence, 1e-9)
	b.clock.advance(time.Hour)
	second := b.upsert(t, b.agent, knowledge.EntityDraft{Type: "technology", Name: "redis", Description: ptr("Session cache"), Properties: map[string]any{"port": 6379.0}})
	require.Equal(t, first.Entity.ID, second.Entity.ID)
	third := b.upsert(t, b.auto, knowledge.EntityDraft{Type: "technology", Name: "REDIS", Description: ptr("A store"), Properties: map[string]any{"port": 1.0, "host": "h"}})
	require.Equal(t, "Redis", third.Entity.Name)
	require.Equal(t, "Session cache", *third.Entity.Description)
	require.Equal(t, knowledge.ActorAgent, *third.Entity.DescriptionSource)
	require.Equal(t, map[string]any{"port": 6379.0, "host": "h"}, third.Entity.Properties)
	require.InDelta(t, 1.0, third.Entity.Confidence, 1e-9)
	require.Equal(t, first.Entity.CreatedAt, third.Entity.CreatedAt)
	require.Equal(t, b.clock.Now(), third.Entity.LastSeenAt)
}

func TestA31_OneEntityFromManyWriters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	names := []string{"Ｒｅｄｉｓ", "REDIS", " redis ", "Redis"}
	results := make([]*knowledge.EntityUpsert, 16)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			u, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "technology", Name: names[i%4]})
			if err == nil {
				results[i] = u
			}
		})
	}
	wg.Wait()
	created := 0
	for _, u := range results {
		require.NotNil(t, u)
		require.Equal(t, results[0].Entity.ID, u.Entity.ID)
		if u.Created {
			created++
		}
	}
	require.Equal(t, 1, created)
}

func TestA11_TwoPeopleOfOneName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mail := func(v string) []knowledge.ContactIdentity {
		return []knowledge.ContactIdentity{{Kind: "email", Value: v}}
	}
	one := b.upsert(t, b.to, knowledge.EntityDraft{Type: "person", Name: "Li Na", Identities: mail("li.na@a.example")})
	two := b.upsert(t, b.to, knowledge.EntityDraft{Type: "person", Name: "Li Na", Identities: mail("li.na@b.example")})
	require.True(t, two.Created)
	require.NotEqual(t, one.Entity.ID, two.Entity.ID)
	again := b.upsert(t, b.to, knowledge.EntityDraft{Type: "person", Name: "L. Na", Identities: mail("LI.NA@b.example")})
	require.Equal(t, two.Entity.ID, again.Entity.ID)
	require.Equal(t, []string{"L. Na"}, again.Entity.Aliases)
	_, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "person", Name: "li na"})
	require.Equal(t, knowledge.CodeAmbiguous, knowledge.CodeOf(err), "T7: %v", err)
	_, err = b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{Name: "Li Na"})
	require.Equal(t, knowledge.CodeAmbiguous, knowledge.CodeOf(err))
	found, err := b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{Identity: &knowledge.ContactIdentity{Kind: "email", Value: "li.na@a.example"}})
	require.NoError(t, err)
	require.Equal(t, one.Entity.ID, found.ID)
}

func TestA24_RenameKeepsTheOldNameAsAlias(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.upsert(t, b.to, knowledge.EntityDraft{Type: "service", Name: "auth"})
	b.upsert(t, b.to, knowledge.EntityDraft{Type: "service", Name: "login"})
	_, err := b.entities.Update(t.Context(), b.to, knowledge.EntityPatch{ID: a.Entity.ID, Name: ptr("Login")})
	require.Equal(t, knowledge.CodeConflict, knowledge.CodeOf(err))
	updated, err := b.entities.Update(t.Context(), b.to, knowledge.EntityPatch{ID: a.Entity.ID, Name: ptr("Sign-in"), Type: ptr("Data Store"), Properties: map[string]any{"a": 1.0}})
	require.NoError(t, err)
	require.Equal(t, []string{"auth"}, updated.Entity.Aliases)
	found, err := b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{Name: "AUTH"})
	require.NoError(t, err)
	require.Equal(t, a.Entity.ID, found.ID)
	require.Equal(t, "data_store", found.TypeKey)
	found, err = b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{Name: "sign in"})
	require.NoError(t, err, "T7 a slug is a name too")
	require.Equal(t, a.Entity.ID, found.ID)
}

func TestT25_BatchFindsWhatItMade(t *testing.T) {
	t.Parallel()
	b := setup(t)
	drafts := []knowledge.EntityDraft{{Type: "tool", Name: "x"}, {Type: "tool", Name: " "}, {Type: "tool", Name: "X", Aliases: []string{"ex"}}, {Type: "tool", Name: "EX"}}
	out, err := b.entities.UpsertMany(t.Context(), b.to, drafts, false)
	require.NoError(t, err)
	require.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(out[1].Err))
	require.Equal(t, out[0].Value.Entity.ID, out[2].Value.Entity.ID)
	require.Equal(t, out[0].Value.Entity.ID, out[3].Value.Entity.ID)
	require.True(t, out[0].Value.Created)
	require.False(t, out[2].Value.Created)
	other := b.workspace(t)
	to := b.to
	to.Workspace = other.Key
	out, err = b.entities.UpsertMany(t.Context(), to, drafts, true)
	require.NoError(t, err)
	require.Error(t, out[1].Err)
	n, err := b.entities.Count(t.Context(), other.ID, knowledge.EntityFilter{})
	require.NoError(t, err)
	require.Zero(t, n, "atomic writes nothing")
}

func TestJ15_Search(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, name := range []string{"王小明", "Иван Петров", "Zoë Ångström", "محمد", "ＡＩ platform", "PostgreSQL"} {
		b.upsert(t, b.to, knowledge.EntityDraft{Type: "person", Name: name})
	}
	b.upsert(t, b.to, knowledge.EntityDraft{Type: "service", Name: "billing", Description: ptr("uses PostgreSQL for invoices")})
	for query, want := range map[string]string{"王小明": "王小明", "小明": "王小明", "Петров": "Иван Петров", "angstrom": "Zoë Ångström", "محمد": "محمد", "ai": "ＡＩ platform", "postgres": "PostgreSQL", "invoice": "billing", "ngstr": "Zoë Ångström"} {
		page, err := b.entities.Search(t.Context(), b.ws.ID, query, nil, knowledge.PageRequest{First: 5})
		require.NoError(t, err, query)
		require.NotEmpty(t, page.Items, "T12 %s", query)
		require.Equal(t, want, page.Items[0].Entity.Name, query)
	}
	for _, query := range []string{"", "   ", "NORD AND OR NOT", "a/b", "C++", "tb-", `"q`, "(x", "[a TO", "\\", "*", "AND", "!", "~", "a:b^c"} {
		_, err := b.entities.Search(t.Context(), b.ws.ID, query, nil, knowledge.PageRequest{First: 5})
		require.NoError(t, err, "T11 %q", query)
	}
	page, err := b.entities.Search(t.Context(), b.ws.ID, "postgresql", []string{"Service"}, knowledge.PageRequest{First: 5})
	require.NoError(t, err)
	require.Len(t, page.Items, 1, "J14 the type is a filter")
}

func TestU_EntityPagesStayRight(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var drafts []knowledge.EntityDraft
	for i := range 25 {
		drafts = append(drafts, knowledge.EntityDraft{Type: "concept", Name: fmt.Sprintf("n%02d", i), Confidence: ptr(float64(i%3) / 4)})
	}
	_, err := b.entities.UpsertMany(t.Context(), b.to, drafts, true)
	require.NoError(t, err)
	for _, order := range []knowledge.EntityOrder{
		{Field: knowledge.OrderByName, Direction: knowledge.Ascending},
		{Field: knowledge.OrderByConfidence, Direction: knowledge.Descending},
		{Field: knowledge.OrderByCreatedAt, Direction: knowledge.Ascending},
		{Field: knowledge.OrderByLastSeenAt, Direction: knowledge.Descending},
	} {
		var forward, backward []string
		req := knowledge.PageRequest{First: 7}
		for {
			page, err := b.entities.List(t.Context(), b.ws.ID, knowledge.EntityFilter{}, order, req)
			require.NoError(t, err)
			for _, e := range page.Items {
				forward = append(forward, e.ID)
			}
			if !page.HasNextPage {
				break
			}
			req.After = &page.Cursors[len(page.Cursors)-1]
		}
		require.Len(t, forward, 25)
		req = knowledge.PageRequest{First: 7, Last: true}
		for {
			page, err := b.entities.List(t.Context(), b.ws.ID, knowledge.EntityFilter{}, order, req)
			require.NoError(t, err)
			ids := []string{}
			for _, e := range page.Items {
				ids = append(ids, e.ID)
			}
			backward = append(ids, backward...)
			if !page.HasPreviousPage {
				break
			}
			req.Before = &page.Cursors[0]
		}
		require.Equal(t, forward, backward)
	}
	_, err = b.entities.List(t.Context(), b.ws.ID, knowledge.EntityFilter{}, knowledge.EntityOrder{Field: knowledge.OrderByName}, knowledge.PageRequest{First: 10_000})
	require.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err))
}

func TestR1_ClearWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.workspace(t)
	b.upsert(t, b.to, knowledge.EntityDraft{Type: "gadget", Name: "one", Aliases: []string{"uno"}, Identities: []knowledge.ContactIdentity{{Kind: "serial", Value: "1"}}, DocID: "d1", TaskID: "t1"})
	b.upsert(t, service.Target{Workspace: other.Key, Caller: b.to.Caller}, knowledge.EntityDraft{Type: "gadget", Name: "one"})
	_, err := b.workspaces.Clear(t.Context(), b.to, service.ClearRequest{Confirm: "no", KeepWorkspace: true})
	require.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err))
	counts, err := b.workspaces.Clear(t.Context(), b.to, service.ClearRequest{Confirm: b.ws.Key, KeepWorkspace: true, DryRun: true})
	require.NoError(t, err)
	require.Equal(t, knowledge.DeleteCounts{Entities: 1}, *counts)
	counts, err = b.workspaces.Clear(t.Context(), b.to, service.ClearRequest{Confirm: b.ws.Key, KeepWorkspace: true})
	require.NoError(t, err)
	require.Equal(t, knowledge.DeleteCounts{Deleted: true, Entities: 1}, *counts)
	types, err := b.types.EntityTypes(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.Len(t, types, 14, "R4 types stay, custom ones included")
	n, err := b.entities.Count(t.Context(), other.ID, knowledge.EntityFilter{})
	require.NoError(t, err)
	require.Equal(t, 1, n, "R4 other workspaces are untouched")
	_, err = b.workspaces.Clear(t.Context(), b.to, service.ClearRequest{Confirm: b.ws.Key})
	require.NoError(t, err)
	_, err = b.workspaces.Get(t.Context(), b.ws.Key)
	require.Equal(t, knowledge.CodeNotFound, knowledge.CodeOf(err), "R5")
}
