package service_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func TestT25_LaterItemsNameEarlierOnes(t *testing.T) {
	t.Parallel()
	for _, atomic := range []bool{false, true} {
		b := withEntries(t)
		entry := func(title, source string) knowledge.EntryDraft {
			d := b.draft(title, title+" is so", at(1, 0))
			d.SourceID, d.Contacts = source, []knowledge.EntityRef{{Name: "ann"}}
			return d
		}
		req := service.LoadRequest{
			Atomic:       atomic,
			Entities:     []knowledge.EntityDraft{{Type: "person", Name: "Ann"}, {Type: "project", Name: "Apollo"}},
			Edges:        []knowledge.EdgeDraft{{From: knowledge.EntityRef{Name: "Ann"}, To: knowledge.EntityRef{Name: "apollo"}, Type: "works on"}},
			Observations: []knowledge.ObservationDraft{{Entity: knowledge.EntityRef{Name: "Ann"}, Text: "joined"}},
			Entries:      []knowledge.EntryDraft{entry("First", "s1"), entry("Second", "s2")},
			Relations:    []knowledge.RelationDraft{{From: knowledge.EntryRef{SourceID: "s2"}, To: knowledge.EntryRef{SourceID: "s1"}, Type: knowledge.RelationSupersedes, Confidence: 1}},
		}
		result, err := b.all.Loading.Load(t.Context(), b.to, req)
		require.NoError(t, err)
		require.Empty(t, result.Errors)
		require.Equal(t, 7, result.Created)
		again, err := b.all.Loading.Load(t.Context(), b.to, req)
		require.NoError(t, err)
		require.Empty(t, again.Errors)
		require.Equal(t, 7, again.Matched, "T5 what is there already is found")
		require.Equal(t, result.Entries, again.Entries)
		sum, err := b.workspaces.Summary(t.Context(), b.ws, 5, knowledge.TimePoint{})
		require.NoError(t, err)
		require.Equal(t, 2, sum.Entities)
		require.Equal(t, 1, sum.CurrentEdges)
		require.Equal(t, 1, sum.Observations)
		require.Equal(t, 2, sum.Entries)
		require.Equal(t, 1, sum.Relations)
		require.Len(t, sum.MostConnected, 2)
	}
}

func TestT25_OneWrongItem(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	req := service.LoadRequest{
		Entities: []knowledge.EntityDraft{{Type: "person", Name: "Ann"}, {Type: "", Name: "x"}},
		Edges:    []knowledge.EdgeDraft{{From: knowledge.EntityRef{Name: "Ann"}, To: knowledge.EntityRef{Name: "nobody"}, Type: "knows"}},
		Entries:  []knowledge.EntryDraft{b.draft("Fine", "all is well", at(0, 1)), b.draft("", "no title", at(0, 1))},
	}
	req.Atomic = true
	result, err := b.all.Loading.Load(t.Context(), b.to, req)
	require.NoError(t, err)
	require.NotEmpty(t, result.Errors)
	require.Equal(t, service.ItemError{List: "entities", Index: 1, Err: result.Errors[0].Err}, result.Errors[0])
	require.Equal(t, "type", result.Errors[0].Err.Field)
	n, err := b.entities.Count(t.Context(), b.ws.ID, knowledge.EntityFilter{})
	require.NoError(t, err)
	require.Zero(t, n, "nothing was written")

	req.Atomic = false
	result, err = b.all.Loading.Load(t.Context(), b.to, req)
	require.NoError(t, err)
	require.Len(t, result.Errors, 3)
	require.Equal(t, 2, result.Created)
	require.Equal(t, "to", result.Errors[1].Err.Field)
	require.Equal(t, "entries", result.Errors[2].List)
	require.NotEmpty(t, result.Entries[0])
	require.Empty(t, result.Entries[1])
	_, err = b.all.Loading.Load(t.Context(), b.to, service.LoadRequest{Entities: make([]knowledge.EntityDraft, 1_001)})
	require.Equal(t, knowledge.CodeLimitExceeded, knowledge.CodeOf(err), "U")
}
