package service_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func (b *entryBundle) entityOf(t *testing.T, typ, name string, aliases ...string) *knowledge.Entity {
	t.Helper()
	up, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: typ, Name: name, Aliases: aliases})
	require.NoError(t, err)
	return up.Entity
}

func TestMentions_NamesInTheTextOfAnEntry(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	redis, york, newYork := b.entityOf(t, "technology", "Redis"), b.entityOf(t, "concept", "York"), b.entityOf(t, "concept", "New York", "NYC")
	wang, mercury := b.entityOf(t, "person", "王小明"), b.entityOf(t, "concept", "Mercury (planet)")
	dana := b.person(t, "Dana")
	b.entityOf(t, "person", "Kim")
	b.entityOf(t, "organization", "Kim")
	for text, want := range map[string][]string{
		"The cache is REDIS, in New York.":       {redis.ID, newYork.ID},
		"He left NYC for York":                   {newYork.ID, york.ID},
		"王小明写了代码":                                {wang.ID},
		"Mercury has no moon":                    {mercury.ID},
		"The redistribution of Yorkshire":        {},
		"Kim is ambiguous":                       {},
		"Dana is the contact, not a mention too": {},
	} {
		e := b.entry(t, "Note", text, about(dana))
		require.ElementsMatch(t, want, e.MentionIDs, text)
		byID, err := b.entries.ByIDs(t.Context(), b.ws.ID, []string{e.ID})
		require.NoError(t, err)
		require.ElementsMatch(t, want, byID[e.ID].MentionIDs, text)
	}
	pages, err := b.entries.OfEntities(t.Context(), b.ws.ID, []string{newYork.ID}, service.EntityEntryQuery{}, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, pages[newYork.ID].Items, 2)
}

func TestMentions_AreMadeAnewWithTheText(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	redis, kafka, given := b.entityOf(t, "technology", "Redis"), b.entityOf(t, "technology", "Kafka"), b.entityOf(t, "technology", "Zig")
	e := b.entry(t, "Note", "we use Redis", func(d *knowledge.EntryDraft) { d.Mentions = []knowledge.EntityRef{{ID: given.ID}} })
	require.ElementsMatch(t, []string{given.ID, redis.ID}, e.MentionIDs)
	save, err := b.entries.Update(t.Context(), b.to, knowledge.EntryPatch{ID: e.ID, Content: ptr("we use Kafka")})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{given.ID, kafka.ID}, save.Entry.MentionIDs, "what a writer gave stays")
	save, err = b.entries.Update(t.Context(), b.to, knowledge.EntryPatch{ID: e.ID, Mentions: &[]knowledge.EntityRef{{ID: kafka.ID}}})
	require.NoError(t, err)
	require.Equal(t, []string{kafka.ID}, save.Entry.MentionIDs)
	save, err = b.entries.Update(t.Context(), b.to, knowledge.EntryPatch{ID: e.ID, Content: ptr("we use nothing")})
	require.NoError(t, err)
	require.Equal(t, []string{kafka.ID}, save.Entry.MentionIDs, "it was given meanwhile")
}

func TestMentions_WithManyNames(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	finder := service.NewMentionFinder(b.store)
	var drafts []knowledge.EntityDraft
	for i := range 3_000 {
		drafts = append(drafts, knowledge.EntityDraft{Type: "concept", Name: fmt.Sprintf("Subject%d", i)})
	}
	up, err := b.entities.UpsertMany(t.Context(), b.to, drafts, true)
	require.NoError(t, err)
	texts := make([]string, 3_000)
	for i := range texts {
		texts[i] = fmt.Sprintf("what was said of Subject%d then, and not of Subject%dx, goes on for some words", i, i)
	}
	found, err := finder.Find(t.Context(), b.ws.ID, texts)
	require.NoError(t, err)
	for i, ids := range found {
		require.Equal(t, []string{up[i].Value.Entity.ID}, ids)
	}
	b.clock.advance(time.Minute)
	late := b.entityOf(t, "concept", "Latecomer", "Straggler")
	found, err = finder.Find(t.Context(), b.ws.ID, []string{"a Latecomer", "a straggler"})
	require.NoError(t, err)
	require.Equal(t, [][]string{{late.ID}, {late.ID}}, found, "the filter knows new names and aliases")
	found, err = finder.Find(t.Context(), b.workspace(t).ID, texts)
	require.NoError(t, err)
	require.Empty(t, found[0], "R1 names of another workspace are none here")
}
