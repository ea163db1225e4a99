package service_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

func TestT6_MergeAndUnmerge(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	c := b.curation()
	rosa := b.named(t, "person", "Rosa Quint")[0]
	nyc, city := b.named(t, "place", "NYC")[0], b.named(t, "place", "New York City")[0]
	_, err := b.types.CreateEdgeType(t.Context(), b.to, knowledge.EdgeType{Key: "twinned", Symmetric: true})
	require.NoError(t, err)
	visited := b.join(t, rosa, "visited", nyc)
	b.join(t, nyc, "related_to", city)
	near := b.join(t, nyc, "near", rosa)
	both := b.join(t, rosa, "likes", city, func(d *knowledge.EdgeDraft) { d.Confidence = ptr(0.5); d.DocID = "doc-1" })
	b.join(t, rosa, "likes", nyc, func(d *knowledge.EdgeDraft) { d.Confidence = ptr(0.9); d.DocID = "doc-2" })
	b.join(t, city, "twinned", rosa)
	b.join(t, rosa, "twinned", nyc)
	b.remark(t, nyc, "Big city", func(d *knowledge.ObservationDraft) { d.TaskID = "t1" })
	b.remark(t, nyc, "Never sleeps")
	kept := b.remark(t, city, "big  CITY")
	b.entry(t, "about both", "x", about(b.lookUp(t, nyc), b.lookUp(t, city)))
	shared := b.entry(t, "about one", "y", about(b.lookUp(t, nyc), b.lookUp(t, rosa)))
	before := b.dump(t)

	dry, err := c.Merge(t.Context(), b.to, city, []string{nyc}, true)
	require.NoError(t, err)
	require.Empty(t, dry.MergeID)
	require.Equal(t, before, b.dump(t), "a dry run writes nothing")

	merged, err := c.Merge(t.Context(), b.to, city, []string{nyc, nyc}, false)
	require.NoError(t, err)
	require.Equal(t, dry.Entity, merged.Entity)
	require.Equal(t, 1, merged.Merged)
	require.Equal(t, []string{"NYC"}, merged.Entity.Aliases)
	require.Equal(t, city, b.lookUp(t, nyc).ID, "the old id leads to the entity that stays")
	found, err := b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{Name: "nyc"})
	require.NoError(t, err)
	require.Equal(t, city, found.ID)

	edges, err := b.edges.ByIDs(t.Context(), b.ws.ID, []string{visited.ID, near.ID, both.ID})
	require.NoError(t, err)
	require.Equal(t, [2]string{rosa, city}, [2]string{edges[visited.ID].FromID, edges[visited.ID].ToID})
	require.Equal(t, [2]string{city, rosa}, [2]string{edges[near.ID].FromID, edges[near.ID].ToID})
	require.InDelta(t, 0.9, edges[both.ID].Confidence, 1e-9)
	supports, err := b.edges.Supports(t.Context(), b.ws.ID, []string{both.ID})
	require.NoError(t, err)
	require.Len(t, supports[both.ID], 2, "T5 what the dropped one rested on")
	count, err := b.edges.CountOfEntities(t.Context(), b.ws.ID, []string{city}, allEdges())
	require.NoError(t, err)
	require.Equal(t, 4, count[city], "H8 visited, near, likes, twinned; the self-loop went")
	notes, err := b.notes.OfEntities(t.Context(), b.ws.ID, []string{city}, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, notes[city].Items, 2, "C11")
	require.NotContains(t, []string{notes[city].Items[0].ID, notes[city].Items[1].ID}, kept.ID, "the older one stays")
	entries, err := b.entries.ByIDs(t.Context(), b.ws.ID, []string{shared.ID})
	require.NoError(t, err)
	require.Equal(t, []string{city, rosa}, entries[shared.ID].ContactIDs, "R7")
	seen := b.ask(t, knowledge.RecallQuery{Query: "about", Scope: contactScope(b.lookUp(t, city))})
	require.ElementsMatch(t, []string{"about both", "about one"}, titles(seen))

	back, err := c.Unmerge(t.Context(), b.to, merged.MergeID)
	require.NoError(t, err)
	require.Equal(t, []string{"New York City", "NYC"}, []string{back[0].Name, back[1].Name})
	require.Equal(t, before, b.dump(t))
	_, err = c.Unmerge(t.Context(), b.to, merged.MergeID)
	requireCode(t, err, knowledge.CodeConflict, "mergeId")
}

func TestT6_UnmergeUntilEdited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		edit func(t *testing.T, b *entryBundle, city, nyc, rosa string, moved *knowledge.Edge)
		says string
	}{
		{"the entity", func(t *testing.T, b *entryBundle, city, _, _ string, _ *knowledge.Edge) {
			_, err := b.entities.Update(t.Context(), b.to, knowledge.EntityPatch{ID: city, Description: ptr("large")})
			require.NoError(t, err)
		}, "was edited"},
		{"under the old name", func(t *testing.T, b *entryBundle, _, _, _ string, _ *knowledge.Edge) {
			b.clock.advance(time.Second)
			b.upsert(t, b.to, knowledge.EntityDraft{Type: "place", Name: "NYC"})
		}, "was edited"},
		{"a moved edge", func(t *testing.T, b *entryBundle, _, _, _ string, moved *knowledge.Edge) {
			b.clock.advance(time.Second)
			_, err := b.edges.Invalidate(t.Context(), b.to, knowledge.EdgeEnd{ID: moved.ID})
			require.NoError(t, err)
		}, "was edited"},
		{"a deleted edge", func(t *testing.T, b *entryBundle, _, _, _ string, moved *knowledge.Edge) {
			_, err := b.edges.Delete(t.Context(), b.to, moved.ID)
			require.NoError(t, err)
		}, "was taken from"},
		{"a new edge", func(t *testing.T, b *entryBundle, _, nyc, rosa string, _ *knowledge.Edge) {
			b.join(t, rosa, "left", nyc)
		}, "was added"},
		{"a new observation", func(t *testing.T, b *entryBundle, city, _, _ string, _ *knowledge.Edge) { b.remark(t, city, "rainy") }, "was added"},
		{"a new entry", func(t *testing.T, b *entryBundle, city, _, _ string, _ *knowledge.Edge) {
			b.entry(t, "new", "z", about(b.lookUp(t, city)))
		}, "was added"},
		{"a later merge of it", func(t *testing.T, b *entryBundle, city, _, _ string, _ *knowledge.Edge) {
			_, err := b.curation().Merge(t.Context(), b.to, b.named(t, "place", "Gotham")[0], []string{city}, false)
			require.NoError(t, err)
		}, "came later"},
		{"a later merge into it", func(t *testing.T, b *entryBundle, city, _, _ string, _ *knowledge.Edge) {
			_, err := b.curation().Merge(t.Context(), b.to, city, b.named(t, "place", "Gotham"), false)
			require.NoError(t, err)
		}, "was edited"},
		{"a later merge of a neighbour", func(t *testing.T, b *entryBundle, _, _, rosa string, _ *knowledge.Edge) {
			_, err := b.curation().Merge(t.Context(), b.to, b.named(t, "person", "Rosa")[0], []string{rosa}, false)
			require.NoError(t, err)
		}, "came later"},
		{"deleted", func(t *testing.T, b *entryBundle, city, _, _ string, _ *knowledge.Edge) {
			_, err := b.entities.Delete(t.Context(), b.to, city)
			require.NoError(t, err)
		}, "was deleted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := withEntries(t)
			rosa, nyc, city := b.named(t, "person", "Rosa Quint")[0], b.named(t, "place", "NYC")[0], b.named(t, "place", "New York City")[0]
			moved := b.join(t, rosa, "visited", nyc)
			m, err := b.curation().Merge(t.Context(), b.to, city, []string{nyc}, false)
			require.NoError(t, err)
			c.edit(t, b, city, nyc, rosa, moved)
			before := b.dump(t)
			_, err = b.curation().Unmerge(t.Context(), b.to, m.MergeID)
			requireCode(t, err, knowledge.CodeConflict, "mergeId")
			require.ErrorContains(t, err, c.says)
			require.Equal(t, before, b.dump(t), "nothing was written")
		})
	}
}

func TestT6_WhatIsNoEdit(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	c := b.curation()
	rosa, tom, nyc, city := b.named(t, "person", "Rosa")[0], b.named(t, "person", "Tom")[0], b.named(t, "place", "NYC")[0], b.named(t, "place", "New York City")[0]
	b.join(t, rosa, "visited", nyc)
	b.join(t, tom, "visited", nyc)
	b.join(t, tom, "visited", city)
	entry := b.entry(t, "about", "x", about(b.lookUp(t, nyc)))
	m, err := c.Merge(t.Context(), b.to, city, []string{nyc}, false)
	require.NoError(t, err)
	_, err = b.entities.Delete(t.Context(), b.to, tom)
	require.NoError(t, err, "another entity was deleted, and its edges with it")
	_, err = b.entries.Delete(t.Context(), b.to, entry.ID)
	require.NoError(t, err)
	other, err := c.Merge(t.Context(), b.to, b.named(t, "person", "Rosa Quint")[0], []string{rosa}, false)
	require.NoError(t, err)
	_, err = c.Unmerge(t.Context(), b.to, other.MergeID)
	require.NoError(t, err, "merged, and separated again")
	back, err := c.Unmerge(t.Context(), b.to, m.MergeID)
	require.NoError(t, err)
	count, err := b.edges.CountOfEntities(t.Context(), b.ws.ID, []string{nyc, city}, allEdges())
	require.NoError(t, err)
	require.Equal(t, map[string]int{nyc: 1, city: 0}, count)
	require.Len(t, back, 2)
}

func TestT6_RedirectsAreFlat(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.curation()
	ids := b.named(t, "concept", "one", "two", "three", "four")
	first, err := c.Merge(t.Context(), b.to, ids[1], ids[:1], false)
	require.NoError(t, err)
	second, err := c.Merge(t.Context(), b.to, ids[2], []string{ids[0]}, false)
	require.NoError(t, err, "an old id is the entity that it leads to")
	require.Equal(t, []string{ids[2], ids[2]}, []string{b.lookUp(t, ids[0]).ID, b.lookUp(t, ids[1]).ID})
	_, err = c.Merge(t.Context(), b.to, ids[0], []string{ids[1]}, false)
	requireCode(t, err, knowledge.CodeInvalidInput, "merge")
	third, err := c.Merge(t.Context(), b.to, ids[3], []string{ids[1]}, false)
	require.NoError(t, err)
	for _, m := range []struct{ merge, id, leads string }{{third.MergeID, ids[0], ids[2]}, {second.MergeID, ids[0], ids[1]}, {first.MergeID, ids[0], ids[0]}} {
		_, err = c.Unmerge(t.Context(), b.to, m.merge)
		require.NoError(t, err)
		require.Equal(t, m.leads, b.lookUp(t, m.id).ID)
	}
}

func TestMerge_BadInput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := setup(t)
	c := b.curation()
	one, two := b.named(t, "concept", "one")[0], b.named(t, "concept", "two")[0]
	tool, foreign := b.named(t, "tool", "one")[0], other.named(t, "concept", "two")[0]
	many := make([]string, 51)
	for i := range many {
		many[i] = fmt.Sprintf("ent_%d", i)
	}
	for _, bad := range []struct {
		name, keep string
		merge      []string
		code       knowledge.Code
		field      string
	}{
		{"nothing to merge", one, nil, knowledge.CodeInvalidInput, "merge"},
		{"no id", "", []string{two}, knowledge.CodeInvalidInput, "keep"},
		{"a blank id", one, []string{two, " "}, knowledge.CodeInvalidInput, "merge.1"},
		{"with itself", one, []string{two, one}, knowledge.CodeInvalidInput, "merge"},
		{"unknown to keep", "ent_none", []string{two}, knowledge.CodeNotFound, "keep"},
		{"unknown to merge", one, []string{two, "ent_none"}, knowledge.CodeNotFound, "merge.1"},
		{"R1 of another workspace", one, []string{foreign}, knowledge.CodeNotFound, "merge.0"},
		{"R1 into another workspace", foreign, []string{two}, knowledge.CodeNotFound, "keep"},
		{"T7 across types", one, []string{tool}, knowledge.CodeInvalidInput, "merge"},
		{"U too many", one, many, knowledge.CodeLimitExceeded, "merge"},
		{"NUL", one, []string{"a\x00"}, knowledge.CodeInvalidInput, "merge.0"},
	} {
		for _, dry := range []bool{true, false} {
			_, err := c.Merge(t.Context(), b.to, bad.keep, bad.merge, dry)
			requireCode(t, err, bad.code, bad.field)
		}
	}
	_, err := c.Unmerge(t.Context(), b.to, "mrg_none")
	requireCode(t, err, knowledge.CodeNotFound, "mergeId")
	m, err := other.curation().Merge(t.Context(), other.to, foreign, other.named(t, "concept", "three"), false)
	require.NoError(t, err)
	_, err = c.Unmerge(t.Context(), b.to, m.MergeID)
	requireCode(t, err, knowledge.CodeNotFound, "mergeId")
}

func TestT6_MergedPeopleOfMails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.mail(t, letter("m1", "Plan"))
	jane, bob := b.find(t, "person", "Jane Doe"), b.find(t, "person", "Bob Lee")
	people := func() *knowledge.Message {
		found, err := b.all.Messages.List(t.Context(), b.ws.ID, "", knowledge.PageRequest{First: 5})
		require.NoError(t, err)
		return found.Items[0]
	}
	before, was := b.dump(t), people()
	m, err := b.curation().Merge(t.Context(), b.to, bob.ID, []string{jane.ID}, false)
	require.NoError(t, err)
	require.Equal(t, []string{bob.ID}, people().ParticipantIDs)
	require.Equal(t, bob.ID, *people().FromID, "who wrote it also got it")
	_, err = b.curation().Unmerge(t.Context(), b.to, m.MergeID)
	require.NoError(t, err)
	require.Equal(t, before, b.dump(t))
	require.Equal(t, was, people())
}
