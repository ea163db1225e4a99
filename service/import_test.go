package service_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// lines numbers items as a file would.
func lines(items ...service.ImportItem) iter.Seq[service.ImportItem] {
	for i := range items {
		items[i].Line = i + 1
	}
	return slices.Values(items)
}

func turn(n int, speaker, text string) service.ImportItem {
	return service.ImportItem{Entry: &knowledge.EntryDraft{
		Type: knowledge.EntryFact, Source: knowledge.SourceChat, SourceID: fmt.Sprint("t", n), Title: fmt.Sprintf("%s, %d", speaker, n), Content: text, Confidence: 0.8,
		Mentions: []knowledge.EntityRef{{Name: speaker, Type: "person"}},
	}}
}

// failures gathers what an import reports of lines.
func failures(into map[int]knowledge.Code) func(int, error) {
	return func(line int, err error) { into[line] = knowledge.CodeOf(err) }
}

func TestImports_Mentions(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	zoe := b.person(t, "Zoë")
	for _, address := range []string{"li@a.example", "li@b.example"} {
		_, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "person", Name: "Li Na", Identities: []knowledge.ContactIdentity{{Kind: "email", Value: address}}})
		require.NoError(t, err)
	}
	items := []service.ImportItem{turn(1, "Zoë", "a"), turn(2, "Bo", "b"), turn(3, "Li Na", "c"), turn(4, "Bo", "d"), turn(5, "", "e")}
	wrong := map[int]knowledge.Code{}
	options := service.ImportOptions{CreateMentions: true, OnItemError: failures(wrong)}
	counts, err := b.all.Imports.Run(t.Context(), b.to, lines(items...), options)
	require.NoError(t, err)
	assert.Equal(t, service.ImportCounts{Read: 5, Created: 3, Failed: 2}, counts)
	assert.Equal(t, knowledge.CodeAmbiguous, wrong[3], "T7: nobody guesses which Li Na spoke")
	assert.Equal(t, knowledge.CodeInvalidInput, wrong[5])

	bo, err := b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{Name: "bo", Type: "person"})
	require.NoError(t, err)
	assert.Equal(t, knowledge.ActorAuto, bo.Source)
	found, err := b.entries.OfEntities(t.Context(), b.ws.ID, []string{bo.ID}, service.EntityEntryQuery{}, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, found[bo.ID].Items, 2)
	assert.Empty(t, found[bo.ID].Items[0].ContactIDs, "a speaker is mentioned, never a contact")

	counts, err = b.all.Imports.Run(t.Context(), b.to, lines(items...), options)
	require.NoError(t, err)
	assert.Equal(t, service.ImportCounts{Read: 5, Matched: 3, Failed: 2}, counts)
	again, err := b.entities.ByIDs(t.Context(), b.ws.ID, []string{zoe.ID, bo.ID})
	require.NoError(t, err)
	assert.Equal(t, []float64{zoe.Confidence, bo.Confidence}, []float64{again[zoe.ID].Confidence, again[bo.ID].Confidence}, "importing again is no reinforcement")
}

// Kinds may alternate; a line that is wrong does not stop those after it, and every
// batch is told of with the last line that is written.
func TestImports_GraphInItsOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	entity := func(name string) service.ImportItem {
		return service.ImportItem{Entity: &knowledge.EntityDraft{Type: "service", Name: name}}
	}
	edge := func(from, to string) service.ImportItem {
		return service.ImportItem{Edge: &knowledge.EdgeDraft{From: knowledge.EntityRef{Name: from}, To: knowledge.EntityRef{Name: to}, Type: "depends_on"}}
	}
	wrong, last := map[int]knowledge.Code{}, 0
	counts, err := b.all.Imports.Run(t.Context(), b.to, lines(
		entity("a"), entity("b"), edge("a", "b"), edge("a", "c"), service.ImportItem{Err: knowledge.Invalid("", "no JSON")}, entity("c"), edge("a", "c"), edge("a", "b"),
	), service.ImportOptions{OnItemError: failures(wrong), OnBatch: func(_ service.ImportCounts, item service.ImportItem) { last = max(last, item.Line) }})
	require.NoError(t, err)
	assert.Equal(t, service.ImportCounts{Read: 8, Created: 5, Matched: 1, Failed: 2}, counts)
	assert.Equal(t, map[int]knowledge.Code{4: knowledge.CodeNotFound, 5: knowledge.CodeInvalidInput}, wrong)
	assert.Equal(t, 8, last)
}

func TestImports_UnknownWorkspaceAndInterruption(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	_, err := b.all.Imports.Run(t.Context(), service.Target{Workspace: "nowhere", Caller: b.to.Caller}, lines(turn(1, "A", "x")), service.ImportOptions{})
	assert.True(t, knowledge.IsNotFound(err))

	ctx, cancel := context.WithCancel(t.Context())
	many := func(yield func(service.ImportItem) bool) {
		for n := 1; n <= 1_000; n++ {
			item := turn(n, "A", "x")
			if item.Line = n; !yield(item) {
				return
			}
		}
	}
	counts, err := b.all.Imports.Run(ctx, b.to, many, service.ImportOptions{CreateMentions: true, OnBatch: func(service.ImportCounts, service.ImportItem) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	assert.Positive(t, counts.Created, "what was written is counted")
	stored, err := b.entries.Count(t.Context(), b.ws.ID, knowledge.EntryFilter{}, knowledge.TimePoint{})
	require.NoError(t, err)
	assert.Equal(t, counts.Created, stored)
}
