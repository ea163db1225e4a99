package service_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

func TestR2_DeleteTask(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	c := b.curation()
	by := func(task string, names ...string) []string {
		var ids []string
		for _, name := range names {
			ids = append(ids, b.upsert(t, b.auto, knowledge.EntityDraft{Type: "concept", Name: name, TaskID: task, Aliases: []string{"the " + name}, Identities: []knowledge.ContactIdentity{{Kind: "k", Value: name}}}).Entity.ID)
		}
		return ids
	}
	other := b.named(t, "concept", "of nobody")[0]
	one := by("t1", "only t1", "observed by t2", "with an edge of t2", "in an entry of t2", "written by t2 too", "confirmed by hand", "held by a doomed edge")
	by("t2", "written by t2 too")
	b.upsert(t, b.to, knowledge.EntityDraft{Type: "concept", Name: "confirmed by hand"})
	task := func(task string) func(*knowledge.EdgeDraft) {
		return func(d *knowledge.EdgeDraft) { d.TaskID = task }
	}
	doomed := b.join(t, one[6], "uses", other, task("t1"))
	shared := b.join(t, other, "uses", one[2], task("t1"))
	b.join(t, other, "uses", one[2], task("t2"))
	handmade := b.join(t, other, "owns", one[2])
	b.join(t, other, "owns", one[2], task("t1"))
	b.remark(t, one[1], "of t1", func(d *knowledge.ObservationDraft) { d.TaskID = "t1" })
	b.remark(t, one[1], "of t2", func(d *knowledge.ObservationDraft) { d.TaskID = "t2" })
	mine := b.entry(t, "of t1", "x", about(b.lookUp(t, other)), func(d *knowledge.EntryDraft) { d.TaskID = "t1" })
	theirs := b.entry(t, "of t2", "y", about(b.lookUp(t, one[3])), func(d *knowledge.EntryDraft) { d.TaskID = "t2" })
	_, err := b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: mine.ID}, To: knowledge.EntryRef{ID: theirs.ID}, Type: knowledge.RelationSupports, Confidence: 1})
	require.NoError(t, err)
	elsewhere := withEntries(t)
	elsewhere.upsert(t, elsewhere.to, knowledge.EntityDraft{Type: "concept", Name: "only t1", TaskID: "t1"})

	before := b.dump(t)
	want := knowledge.DeleteCounts{Entities: 2, Edges: 1, Observations: 1, Entries: 1, Relations: 1}
	dry, err := c.DeleteTask(t.Context(), b.to, "t1", true)
	require.NoError(t, err)
	require.Equal(t, want, *dry)
	require.Equal(t, before, b.dump(t), "a dry run writes nothing")

	counts, err := c.DeleteTask(t.Context(), b.to, "t1", false)
	require.NoError(t, err)
	want.Deleted = true
	require.Equal(t, want, *counts)
	found, err := b.entities.ByIDs(t.Context(), b.ws.ID, one)
	require.NoError(t, err)
	require.Nil(t, found[one[0]])
	require.Nil(t, found[one[6]])
	for _, id := range one[1:6] {
		require.NotNil(t, found[id], "R3")
		require.Nil(t, found[id].TaskID)
	}
	left, err := b.notes.OfEntities(t.Context(), b.ws.ID, one[1:2], knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, left[one[1]].Items, 1)
	require.Equal(t, "of t2", left[one[1]].Items[0].Text)
	edges, err := b.edges.ByIDs(t.Context(), b.ws.ID, []string{doomed.ID, shared.ID, handmade.ID})
	require.NoError(t, err)
	require.Nil(t, edges[doomed.ID])
	supports, err := b.edges.Supports(t.Context(), b.ws.ID, []string{shared.ID, handmade.ID})
	require.NoError(t, err)
	require.Len(t, supports[shared.ID], 1)
	require.Equal(t, "t2", *supports[shared.ID][0].TaskID)
	require.Len(t, supports[handmade.ID], 1, "its writer's own word")
	b.requireWhole(t)
	for _, line := range b.dump(t) {
		require.NotContains(t, line, "only t1", "names and identities go too")
	}
	require.Equal(t, "only t1", elsewhere.upsert(t, elsewhere.to, knowledge.EntityDraft{Type: "concept", Name: "only t1"}).Entity.Name, "R1")

	again, err := c.DeleteTask(t.Context(), b.to, "t1", false)
	require.NoError(t, err)
	require.Equal(t, knowledge.DeleteCounts{}, *again)
	_, err = c.DeleteTask(t.Context(), b.to, " ", false)
	requireCode(t, err, knowledge.CodeInvalidInput, "taskId")
}

func TestR2_AMergedEntityRestsOnAllOfThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.curation()
	hand := b.named(t, "concept", "by hand", "by hand too")
	first := b.upsert(t, b.auto, knowledge.EntityDraft{Type: "concept", Name: "first", TaskID: "t1"}).Entity.ID
	second := b.upsert(t, b.auto, knowledge.EntityDraft{Type: "concept", Name: "second", TaskID: "t1"}).Entity.ID
	third := b.upsert(t, b.auto, knowledge.EntityDraft{Type: "concept", Name: "third", TaskID: "t1"}).Entity.ID
	for _, merge := range [][2]string{{hand[0], first}, {second, hand[1]}} {
		_, err := c.Merge(t.Context(), b.to, merge[0], []string{merge[1]}, false)
		require.NoError(t, err)
	}
	counts, err := c.DeleteTask(t.Context(), b.to, "t1", false)
	require.NoError(t, err)
	require.Equal(t, 1, counts.Entities)
	left, err := b.entities.ByIDs(t.Context(), b.ws.ID, []string{hand[0], second, third})
	require.NoError(t, err)
	require.NotNil(t, left[hand[0]])
	require.NotNil(t, left[second])
	require.Nil(t, left[third])
}

// TestR2_DeleteTaskBesideWriters: what another task says at the same moment stays, or is
// said anew; nothing is lost.
func TestR2_DeleteTaskBesideWriters(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	from, to := b.named(t, "person", "Rosa")[0], b.named(t, "place", "Rome")[0]
	say := func(task string) error {
		if _, err := b.edges.Assert(context.Background(), b.to, knowledge.EdgeDraft{From: knowledge.EntityRef{ID: from}, To: knowledge.EntityRef{ID: to}, Type: "visited", TaskID: task}); err != nil {
			return err
		}
		remark := note(from, "tall")
		remark.TaskID = task
		if _, err := b.notes.Add(context.Background(), b.to, remark); err != nil {
			return err
		}
		_, err := b.entries.Create(context.Background(), b.to, b.draft("Rosa", "is tall", about(&knowledge.Entity{ID: from}), func(d *knowledge.EntryDraft) { d.TaskID = task }))
		return err
	}
	for round := range 4 {
		require.NoError(t, say(fmt.Sprint("t", round)))
		next := fmt.Sprint("t", round+1)
		errs := atOnce(
			func() error { return say(next) },
			func() error {
				_, err := b.curation().DeleteTask(context.Background(), b.to, fmt.Sprint("t", round), false)
				return err
			},
		)
		require.Equal(t, []error{nil, nil}, errs)
		b.requireWhole(t)
		count, err := b.edges.CountOfEntities(t.Context(), b.ws.ID, []string{from}, allEdges())
		require.NoError(t, err)
		require.Equal(t, 1, count[from])
		notes, err := b.notes.CountOfEntities(t.Context(), b.ws.ID, []string{from})
		require.NoError(t, err)
		require.Equal(t, 1, notes[from])
		require.Len(t, titles(b.ask(t, knowledge.RecallQuery{Query: "tall", Scope: contactScope(b.lookUp(t, from))})), 1)
	}
}
