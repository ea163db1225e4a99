package service_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/ingest"
	"mneme/knowledge"
	"mneme/service"
)

// exported is a JSON export as a test looks into it.
type exported struct {
	Workspace    knowledge.ExportedWorkspace
	EntityTypes  []knowledge.ExportedEntityType
	EdgeTypes    []knowledge.ExportedEdgeType
	Entities     []knowledge.ExportedEntity
	Edges        []knowledge.ExportedEdge
	Observations []knowledge.ExportedObservation
	Entries      []knowledge.ExportedEntry
	Relations    []knowledge.ExportedRelation
}

func (b *bundle) export(t *testing.T, key string, req service.ExportRequest) string {
	t.Helper()
	ws, err := b.workspaces.Get(t.Context(), key)
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, b.all.Exports.Write(t.Context(), ws, &out, req))
	return out.String()
}

func (b *bundle) exportJSON(t *testing.T, key string) (string, exported) {
	t.Helper()
	text := b.export(t, key, service.ExportRequest{Format: knowledge.ExportJSON})
	var x exported
	require.NoError(t, json.Unmarshal([]byte(text), &x))
	return text, x
}

// importJSON takes an export in and wants everything of it to be right.
func (b *bundle) importJSON(t *testing.T, key, text string) service.ImportCounts {
	t.Helper()
	items, failure := ingest.ReadExport(strings.NewReader(text))
	to := service.Target{Workspace: key, Caller: b.to.Caller}
	counts, err := b.all.Exports.Import(t.Context(), to, items, service.ExportImport{OnItemError: func(where string, err error) { t.Errorf("%s: %v", where, err) }})
	require.NoError(t, err)
	require.NoError(t, failure())
	return counts
}

// odd are texts that formats trip over.
const odd = "quote \" back\\slash \\u0027 'single' `tick` \nnewline\ttab; {brace} [x] |pipe| #hash 100% <b>&amp; 👩‍🚀 王小明 \u2028 end"

// story fills a workspace with everything that an export holds: history, ends that were
// told late, several supports, aliases, identities, a merge, entries in time, relations.
func (b *bundle) story(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	b.clock.step = time.Second
	_, err := b.types.CreateEdgeType(ctx, b.to, knowledge.EdgeType{Key: "led_by", SingleValued: true, InverseLabel: ptr("leads")})
	require.NoError(t, err)
	_, err = b.types.CreateEdgeType(ctx, b.to, knowledge.EdgeType{Key: "knows", Symmetric: true})
	require.NoError(t, err)
	entity := func(to service.Target, d knowledge.EntityDraft) string {
		u, err := b.entities.Upsert(ctx, to, d)
		require.NoError(t, err)
		return u.Entity.ID
	}
	ada := entity(b.to, knowledge.EntityDraft{
		Type: "person", Name: "Ada", Aliases: []string{"Countess", "Ada L."}, Identities: []knowledge.ContactIdentity{{Kind: "email", Value: "ada@mneme.example"}, {Kind: "domain", Value: "ada.example"}},
		Description: ptr(odd), Properties: map[string]any{"port": 6379.0, "nested": map[string]any{"b": []any{1.5, "x", nil, true}, "a": odd}},
	})
	twin := entity(b.to, knowledge.EntityDraft{Type: "person", Name: "Ada", Identities: []knowledge.ContactIdentity{{Kind: "email", Value: "ada@other.example"}}})
	team := entity(b.auto, knowledge.EntityDraft{Type: "Task Force", Name: odd[:40], TaskID: "task-1", DocID: "doc-1"})
	ben := entity(b.agent, knowledge.EntityDraft{Type: "person", Name: "Ben", TaskID: "task-1"})
	bob := entity(b.agent, knowledge.EntityDraft{Type: "person", Name: "Bob"})
	entity(b.to, knowledge.EntityDraft{Type: "concept", Name: "Alone"})
	edge := func(d knowledge.EdgeDraft) string {
		a, err := b.edges.Assert(ctx, b.to, d)
		require.NoError(t, err)
		return a.Edge.ID
	}
	at := func(month time.Month) *time.Time { return ptr(time.Date(2025, month, 1, 0, 0, 0, 0, time.UTC)) }
	edge(knowledge.EdgeDraft{From: knowledge.EntityRef{ID: team}, To: knowledge.EntityRef{ID: ada}, Type: "led_by", ValidFrom: at(1), DocID: "doc-1"})
	edge(knowledge.EdgeDraft{From: knowledge.EntityRef{ID: team}, To: knowledge.EntityRef{ID: ben}, Type: "led_by", ValidFrom: at(6), DocID: "doc-2", TaskID: "task-2"})
	edge(knowledge.EdgeDraft{From: knowledge.EntityRef{ID: ada}, To: knowledge.EntityRef{ID: ben}, Type: "knows", Fact: odd, Properties: map[string]any{"since": odd}})
	once := edge(knowledge.EdgeDraft{From: knowledge.EntityRef{ID: ben}, To: knowledge.EntityRef{ID: bob}, Type: "works_at", ValidFrom: at(2), ValidTo: ptr(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))})
	_, err = b.edges.Invalidate(ctx, b.to, knowledge.EdgeEnd{ID: once, ValidTo: at(4)})
	require.NoError(t, err)
	edge(knowledge.EdgeDraft{From: knowledge.EntityRef{ID: ben}, To: knowledge.EntityRef{ID: bob}, Type: "works_at", ValidFrom: at(7)})
	edge(knowledge.EdgeDraft{From: knowledge.EntityRef{ID: ada}, To: knowledge.EntityRef{ID: bob}, Type: "about", DocID: "doc-3"}) // ABOUT is the product's own: RELATES
	edge(knowledge.EdgeDraft{From: knowledge.EntityRef{ID: twin}, To: knowledge.EntityRef{ID: bob}, Type: "uses"})
	_, err = b.edges.InvalidateDocument(ctx, b.to, "doc-3", nil)
	require.NoError(t, err)
	_, err = b.notes.AddMany(ctx, b.agent, []knowledge.ObservationDraft{
		{Entity: knowledge.EntityRef{ID: ada}, Text: odd, DocID: "doc-1", ObservedAt: at(3)},
		{Entity: knowledge.EntityRef{ID: ada}, Text: "By fingerprint", Fingerprint: "mailbox:x:1", TaskID: "task-1"},
	}, true)
	require.NoError(t, err)
	saves, err := b.all.Entries.CreateMany(ctx, b.to, []knowledge.EntryDraft{
		{Type: knowledge.EntryFact, Title: odd[:30], Content: odd, Source: knowledge.SourceManual, Confidence: 0.8, Tags: []string{"b", "a"}, Contacts: []knowledge.EntityRef{{ID: ada}}, Mentions: []knowledge.EntityRef{{ID: bob}}, DocID: "doc-1"},
		{Type: knowledge.EntryDecision, Title: "Second", Content: "Ben decides what Countess said.", Source: knowledge.SourceChat, SourceID: "s1", ThreadID: "t1", Confidence: 0.5, ExpiresInDays: ptr(0.001)},
		{Type: knowledge.EntryGoal, Title: "Third", Content: "General.", Source: knowledge.SourceManual, Confidence: 1, ValidFrom: at(1), ValidTo: at(5)},
	}, true)
	require.NoError(t, err)
	first, second := saves[0].Value.Entry.ID, saves[1].Value.Entry.ID
	_, err = b.all.Entries.Relate(ctx, b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: first}, To: knowledge.EntryRef{ID: second}, Type: knowledge.RelationContradicts, Confidence: 0.7, Weight: ptr(0.25), Rationale: "because \"so\""})
	require.NoError(t, err)
	_, err = b.all.Entries.End(ctx, b.to, first, nil, ptr("It is otherwise now."))
	require.NoError(t, err)
	require.NoError(t, b.store.MarkAccessed(ctx, []knowledge.AccessMark{{WorkspaceID: b.ws.ID, EntryID: first, Count: 3, At: b.clock.Now()}}))
	_, err = b.all.Curation.Merge(ctx, b.to, ada, []string{bob}, false)
	require.NoError(t, err)
	b.clock.advance(time.Hour) // the second entry has expired
}

// SPEC O18: an export that is taken in by an empty place is exported again byte for byte,
// with history, several supports, settings and everything that a format may trip over.
func TestO18_RoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.story(t)
	privacy := knowledge.PrivacyStrict
	_, err := b.workspaces.Update(t.Context(), b.to, service.WorkspacePatch{Name: ptr("A \"name\""), Memory: service.MemoryPatch{PrivacyMode: &privacy}, Features: map[knowledge.FeatureName]bool{knowledge.FeatureGraphRetrieval: false}})
	require.NoError(t, err)
	one, x := b.exportJSON(t, b.ws.Key)
	assert.NotEmpty(t, x.Relations)
	assert.Len(t, x.Entities, 5, "Bob was merged into Ada")
	assert.Len(t, x.Observations, 2)
	assert.Len(t, x.Entries, 4)
	ended := 0
	for _, e := range x.Edges {
		if e.ValidTo != nil {
			ended++
		}
	}
	assert.GreaterOrEqual(t, ended, 2, "O18 history is part of it")
	assert.True(t, strings.HasPrefix(one, "{\n  \"workspace\": {\n    \"id\": \""+b.ws.ID+"\""), one[:80])

	startAnew := func() {
		_, err := b.workspaces.Clear(t.Context(), b.to, service.ClearRequest{Confirm: b.ws.Key})
		require.NoError(t, err)
		_, err = b.workspaces.Create(t.Context(), b.to.Caller, b.ws.Key, "")
		require.NoError(t, err)
	}
	startAnew()
	counts := b.importJSON(t, b.ws.Key, one)
	all := len(x.Entities) + len(x.Edges) + len(x.Observations) + len(x.Entries) + len(x.Relations)
	assert.Equal(t, service.ImportCounts{Read: all, Created: all}, counts)
	two, _ := b.exportJSON(t, b.ws.Key)
	assert.Equal(t, one, two)

	again := b.importJSON(t, b.ws.Key, one)
	assert.Equal(t, service.ImportCounts{Read: all, Matched: all}, again, "what came from the same export before stays as it is")
	three, _ := b.exportJSON(t, b.ws.Key)
	assert.Equal(t, one, three)

	// What is restored works: the past, who leads now, found by alias, a document's support.
	ws, err := b.workspaces.Get(t.Context(), b.ws.Key)
	require.NoError(t, err)
	assert.Equal(t, b.ws.ID, ws.ID)
	found, err := b.entities.Find(t.Context(), ws.ID, knowledge.EntityRef{Name: "countess"})
	require.NoError(t, err)
	then := knowledge.TimePoint{AsOf: ptr(time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC))}
	near, err := b.navigation.Neighbors(t.Context(), ws.ID, service.NeighborQuery{Root: found.ID, Hops: 1, EdgeTypes: []string{"led_by"}, At: then, First: 10})
	require.NoError(t, err)
	assert.Len(t, near.Nodes, 1, "T1 Ada led in March")
	out, err := b.edges.InvalidateDocument(t.Context(), b.to, "doc-2", nil)
	require.NoError(t, err)
	assert.Empty(t, out, "T5 task-2 supports it still")
}

// SPEC O18: where ids are taken they are mapped, the same every time; what names them follows.
func TestO18_MappedIDs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.story(t)
	one, x := b.exportJSON(t, b.ws.Key)
	other := b.workspace(t)
	counts := b.importJSON(t, other.Key, one)
	assert.Zero(t, counts.Failed)
	assert.Zero(t, counts.Matched)
	again := b.importJSON(t, other.Key, one)
	assert.Equal(t, service.ImportCounts{Read: counts.Read, Matched: counts.Read}, again)
	_, y := b.exportJSON(t, other.Key)
	assert.Equal(t, other.Key, y.Workspace.Key)
	assert.Equal(t, other.ID, y.Workspace.ID, "a copy keeps its own id")
	same := func(ids []string) []string {
		out := make([]string, len(ids))
		for i, id := range ids {
			prefix, _, _ := strings.Cut(id, "_")
			out[i] = knowledge.MappedID(prefix, other.ID, id)
		}
		return out
	}
	names := map[string]string{}
	for _, e := range y.Entities {
		names[e.ID] = e.Name + e.Discriminator
	}
	require.Len(t, y.Entities, len(x.Entities))
	for _, e := range x.Entities {
		assert.Equal(t, e.Name+e.Discriminator, names[same([]string{e.ID})[0]])
		assert.Equal(t, e.ID[:14], same([]string{e.ID})[0][:14], "it keeps its place in time")
	}
	edges := map[string]knowledge.ExportedEdge{}
	for _, e := range y.Edges {
		edges[e.ID] = e
	}
	require.Len(t, y.Edges, len(x.Edges))
	for _, e := range x.Edges {
		want := e
		ids := same([]string{e.ID, e.From, e.To})
		want.ID, want.From, want.To = ids[0], ids[1], ids[2]
		assert.Equal(t, want, edges[ids[0]])
	}
	entries := map[string]knowledge.ExportedEntry{}
	for _, e := range y.Entries {
		entries[e.ID] = e
	}
	for _, e := range x.Entries {
		got := entries[same([]string{e.ID})[0]]
		assert.ElementsMatch(t, same(e.Contacts), got.Contacts)
		assert.ElementsMatch(t, same(e.Mentions), got.Mentions)
		assert.Equal(t, e.Supports, got.Supports)
	}
	require.Len(t, y.Relations, len(x.Relations))
	_, z := b.exportJSON(t, b.ws.Key)
	assert.Equal(t, x, z, "R1 the original is as it was")
}

// SPEC O18: into a workspace that holds something an export is merged by name and identity.
func TestO18_MergeIntoWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.story(t)
	one, x := b.exportJSON(t, b.ws.Key)
	other := b.workspace(t)
	to := service.Target{Workspace: other.Key, Caller: b.to.Caller}
	kept, err := b.entities.Upsert(t.Context(), to, knowledge.EntityDraft{Type: "person", Name: "Somebody", Identities: []knowledge.ContactIdentity{{Kind: "email", Value: "ada@mneme.example"}}})
	require.NoError(t, err)
	var failed []string
	items, failure := ingest.ReadExport(strings.NewReader(one))
	counts, err := b.all.Exports.Import(t.Context(), to, items, service.ExportImport{OnItemError: func(where string, err error) { failed = append(failed, fmt.Sprint(where, err)) }})
	require.NoError(t, err)
	require.NoError(t, failure())
	assert.Len(t, failed, 2, "an entry that has expired is not written anew, nor what names it: %v", failed)
	assert.GreaterOrEqual(t, counts.Matched, 1)
	_, y := b.exportJSON(t, other.Key)
	assert.Len(t, y.Entities, len(x.Entities))
	assert.Len(t, y.Edges, len(x.Edges))
	assert.Len(t, y.Observations, len(x.Observations))
	for _, e := range y.Entities {
		if e.ID == kept.Entity.ID {
			assert.Equal(t, "Somebody", e.Name, "A12")
			assert.Contains(t, e.Aliases, "Countess")
		}
	}
}

// SPEC O7, O17: drawings show what is current, with history what has ended; O18: JSON has a moment too.
func TestO7_ExportMoments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.story(t)
	write := func(f knowledge.ExportFormat, at knowledge.TimePoint) string {
		return b.export(t, b.ws.Key, service.ExportRequest{Format: f, At: at})
	}
	march := knowledge.TimePoint{AsOf: ptr(time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC))}
	now := write(knowledge.ExportDOT, knowledge.TimePoint{})
	assert.Contains(t, now, `-> "Ben" [label="led_by"];`)
	assert.NotContains(t, now, `-> "Ada" [label="led_by"];`)
	assert.Contains(t, now, "\n  \"Alone\";\n")
	assert.Contains(t, write(knowledge.ExportDOT, march), `-> "Ada" [label="led_by"];`)
	history := write(knowledge.ExportDOT, knowledge.TimePoint{IncludeHistory: true})
	assert.Contains(t, history, `-> "Ada" [label="led_by"];`)
	assert.NotContains(t, now, `[label="about"]`, "its document was withdrawn")

	var x exported
	require.NoError(t, json.Unmarshal([]byte(write(knowledge.ExportJSON, march)), &x))
	for _, e := range x.Edges {
		assert.False(t, e.ValidFrom.After(*march.AsOf), e.Fact)
	}
	before := knowledge.TimePoint{KnownAt: ptr(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
	require.NoError(t, json.Unmarshal([]byte(write(knowledge.ExportJSON, before)), &x))
	assert.Empty(t, x.Entities, "T1 nothing had been told by then")
	assert.Empty(t, x.Edges)

	err := b.all.Exports.Write(t.Context(), b.ws, &strings.Builder{}, service.ExportRequest{Format: knowledge.ExportDOT, MaxEdges: 1})
	assert.Equal(t, knowledge.CodeLimitExceeded, knowledge.CodeOf(err))
}

// SPEC F9: who may see what concerns one contact gets no export of everything.
func TestF9_ExportOfOneContact(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := knowledge.Caller{Actor: knowledge.ActorAgent, Profile: knowledge.Profile{ContactID: "ent_x"}}
	err := b.all.Exports.Write(t.Context(), b.ws, &strings.Builder{}, service.ExportRequest{Format: knowledge.ExportJSON, Caller: by})
	assert.Equal(t, knowledge.CodeForbidden, knowledge.CodeOf(err))
}
