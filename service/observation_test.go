package service_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

func note(entity, text string) knowledge.ObservationDraft {
	return knowledge.ObservationDraft{Entity: knowledge.EntityRef{ID: entity}, Text: text}
}

func (b *bundle) observe(t *testing.T, d knowledge.ObservationDraft) *knowledge.ObservationAdd {
	t.Helper()
	got, err := b.notes.Add(t.Context(), b.to, d)
	require.NoError(t, err)
	return got
}

func (b *bundle) observed(t *testing.T, entity string) []string {
	t.Helper()
	pages, err := b.notes.OfEntities(t.Context(), b.ws.ID, []string{entity}, knowledge.PageRequest{First: 100})
	require.NoError(t, err)
	n, err := b.notes.CountOfEntities(t.Context(), b.ws.ID, []string{entity})
	require.NoError(t, err)
	page := pages[entity]
	require.Len(t, page.Items, n[entity])
	texts := []string{}
	for _, o := range page.Items {
		texts = append(texts, o.Text)
	}
	return texts
}

func TestC9_SameContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, other := b.two(t)
	first := b.observe(t, note(id, " Compiles fast "))
	require.True(t, first.Created)
	require.Equal(t, "content:f5d98d559ad5ae2c416878189511ecd7", first.Observation.Fingerprint)
	again := b.observe(t, note(id, "compiles   FAST"))
	require.False(t, again.Created)
	require.Equal(t, first.Observation, again.Observation)
	require.Equal(t, []string{"Compiles fast"}, b.observed(t, id))
	require.True(t, b.observe(t, note(other, "Compiles fast")).Created, "C10 the same text on another entity")
}

func TestC3_Matches(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.entity(t, "A")
	given := note(id, "Moved the stand-up to ten")
	given.Fingerprint = "  mail-1 " + strings.Repeat("x", 300)
	first := b.observe(t, given)
	require.Len(t, first.Observation.Fingerprint, 200, "C2")
	b.clock.advance(time.Second)
	other := note(id, "quite another text")
	other.Fingerprint = given.Fingerprint
	require.Equal(t, first.Observation.ID, b.observe(t, other).Observation.ID, "the same explicit fingerprint")
	require.Equal(t, first.Observation.ID, b.observe(t, note(id, "MOVED the stand-up to ten")).Observation.ID, "C6 a case variant of a mailbox note")
	second := note(id, "moved the stand-up to ten")
	second.Fingerprint = "mail-2"
	require.Equal(t, first.Observation.ID, b.observe(t, second).Observation.ID, "the same content under another fingerprint")
	require.Len(t, b.observed(t, id), 1)
}

func TestC4_StrongerSource(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.entity(t, "A")
	add := func(by knowledge.Actor) knowledge.Actor {
		to := b.to
		to.Caller.Actor = by
		got, err := b.notes.Add(t.Context(), to, note(id, "x"))
		require.NoError(t, err)
		stored, err := b.notes.ByIDs(t.Context(), b.ws.ID, []string{got.Observation.ID})
		require.NoError(t, err)
		return stored[got.Observation.ID].Source
	}
	require.Equal(t, knowledge.ActorAuto, add(knowledge.ActorAuto))
	require.Equal(t, knowledge.ActorAgent, add(knowledge.ActorAgent))
	require.Equal(t, knowledge.ActorAgent, add(knowledge.ActorAuto))
	require.Equal(t, knowledge.ActorManual, add(knowledge.ActorManual))
}

func TestC5_LastSeen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.entity(t, "A")
	before, err := b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{ID: id})
	require.NoError(t, err)
	b.clock.advance(time.Hour)
	b.observe(t, note(id, "x"))
	seen := b.clock.Now()
	b.clock.advance(time.Hour)
	b.observe(t, note(id, "X"))
	after, err := b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{ID: id})
	require.NoError(t, err)
	require.Equal(t, seen, after.LastSeenAt, "C4 a match does not refresh it")
	before.LastSeenAt = seen
	require.Equal(t, before, after, "nothing else changes")
}

func TestC7_NewestFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.entity(t, "A")
	for _, n := range []int{2, 5, 1, 4, 3} {
		d := note(id, fmt.Sprint("at ", n))
		d.ObservedAt = second(n)
		b.observe(t, d)
	}
	b.observe(t, note(id, "undated"))
	require.Equal(t, []string{"undated", "at 5", "at 4", "at 3", "at 2", "at 1"}, b.observed(t, id))
	page := knowledge.PageRequest{First: 2}
	var texts []string
	for {
		pages, err := b.notes.OfEntities(t.Context(), b.ws.ID, []string{id}, page)
		require.NoError(t, err)
		got := pages[id]
		for _, o := range got.Items {
			texts = append(texts, o.Text)
		}
		if !got.HasNextPage {
			break
		}
		page.After = &got.Cursors[len(got.Cursors)-1]
		d := note(id, "inserted before while reading "+page.After.ID)
		d.ObservedAt = second(100)
		b.observe(t, d)
	}
	require.Equal(t, []string{"undated", "at 5", "at 4", "at 3", "at 2", "at 1"}, texts)
	for _, first := range []int{0, 101, 10_000} {
		_, err := b.notes.OfEntities(t.Context(), b.ws.ID, []string{id}, knowledge.PageRequest{First: first})
		require.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err))
	}
	_, err := b.notes.OfEntities(t.Context(), b.ws.ID, []string{id}, knowledge.PageRequest{First: 1, After: &knowledge.Cursor{Key: "what", ID: "x"}})
	require.ErrorContains(t, err, "after")
}

func TestC8_Refused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.entity(t, "A")
	for _, c := range []struct {
		draft knowledge.ObservationDraft
		code  knowledge.Code
		field string
	}{
		{note("ent_no", "x"), knowledge.CodeNotFound, "entity"},
		{note(setup(t).entity(t, "A"), "x"), knowledge.CodeNotFound, "entity"},
		{note(id, " \t\n"), knowledge.CodeInvalidInput, "text"},
		{note(id, "a\x00b"), knowledge.CodeInvalidInput, "text"},
		{note(id, strings.Repeat("ä", knowledge.MaxTextLength+1)), knowledge.CodeLimitExceeded, "text"},
	} {
		_, err := b.notes.Add(t.Context(), b.to, c.draft)
		var e *knowledge.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, c.code, e.Code, e)
		require.Equal(t, c.field, e.Field, e)
	}
	require.Empty(t, b.observed(t, id))
}

func TestA31_ObservationsOfSixteenWriters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.entity(t, "A")
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			d := note(id, "the same")
			d.TaskID = fmt.Sprint("t", i)
			if _, err := b.notes.Add(t.Context(), b.to, d); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	pages, err := b.notes.OfEntities(t.Context(), b.ws.ID, []string{id}, knowledge.PageRequest{First: 100})
	require.NoError(t, err)
	page := pages[id]
	require.Len(t, page.Items, 1)
	supports, err := b.notes.Supports(t.Context(), b.ws.ID, []string{page.Items[0].ID})
	require.NoError(t, err)
	require.Len(t, supports[page.Items[0].ID], 16)
}

func TestC1_BatchAndDelete(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.entity(t, "A")
	out, err := b.notes.AddMany(t.Context(), b.to, []knowledge.ObservationDraft{note(id, "one"), note("ent_no", "x"), note(id, "ONE"), note(id, "two")}, false)
	require.NoError(t, err)
	require.True(t, out[0].Value.Created)
	require.True(t, knowledge.IsNotFound(out[1].Err))
	require.False(t, out[2].Value.Created)
	require.Equal(t, out[0].Value.Observation.ID, out[2].Value.Observation.ID)
	require.Len(t, b.observed(t, id), 2)
	out, err = b.notes.AddMany(t.Context(), b.to, []knowledge.ObservationDraft{note(id, "three"), note("ent_no", "x")}, true)
	require.NoError(t, err)
	require.Error(t, out[1].Err)
	require.Len(t, b.observed(t, id), 2, "T25 all or nothing")
	got, err := b.notes.Delete(t.Context(), setup(t).to, b.observe(t, note(id, "two")).Observation.ID)
	require.NoError(t, err)
	require.False(t, got.Deleted, "A1")
	got, err = b.notes.Delete(t.Context(), b.to, b.observe(t, note(id, "two")).Observation.ID)
	require.NoError(t, err)
	require.True(t, got.Deleted)
	require.Equal(t, []string{"one"}, b.observed(t, id))
}
