package service_test

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func TestK5_CreateEntry(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	dana := b.person(t, "Dana")
	days := 2.0
	e := b.entry(t, "  Plan ", " Acme is on Enterprise. ", about(dana), func(d *knowledge.EntryDraft) {
		d.Tags = []string{"a, b", " a ", ""}
		d.ExpiresInDays = &days
		d.ThreadID, d.SourceID = "th", "src"
	})
	now := b.clock.Now()
	require.Equal(t, "Plan", e.Title)
	require.Equal(t, []string{"a", "b"}, e.Tags)
	require.Equal(t, []string{dana.ID}, e.ContactIDs)
	require.Equal(t, now.Add(48*time.Hour), *e.ExpiresAt)
	require.Equal(t, now, e.LastValidatedAt)
	require.Equal(t, now, *e.ValidFrom)
	byID, err := b.entries.ByIDs(t.Context(), b.ws.ID, []string{e.ID, "ery_none"})
	require.NoError(t, err)
	require.Equal(t, map[string]*knowledge.Entry{e.ID: e}, byID)

	other := b.workspace(t)
	byID, err = b.entries.ByIDs(t.Context(), other.ID, []string{e.ID})
	require.NoError(t, err)
	require.Empty(t, byID, "A1 another workspace's id does not exist")
}

func TestK6_BadEntries(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	past, days := b.clock.Now().Add(-time.Second), 0.0
	for name, c := range map[string]struct {
		field string
		code  knowledge.Code
		edit  func(*knowledge.EntryDraft)
	}{
		"K5 blank title":          {"title", knowledge.CodeInvalidInput, func(d *knowledge.EntryDraft) { d.Title = " \t" }},
		"K5 blank content":        {"content", knowledge.CodeInvalidInput, func(d *knowledge.EntryDraft) { d.Content = "\n" }},
		"K6 confidence 1.2":       {"confidence", knowledge.CodeInvalidInput, func(d *knowledge.EntryDraft) { d.Confidence = 1.2 }},
		"K6 confidence NaN":       {"confidence", knowledge.CodeInvalidInput, func(d *knowledge.EntryDraft) { d.Confidence = math.NaN() }},
		"K6 no days":              {"expiresInDays", knowledge.CodeInvalidInput, func(d *knowledge.EntryDraft) { d.ExpiresInDays = &days }},
		"K11 expiry in the past":  {"expiresAt", knowledge.CodeInvalidInput, func(d *knowledge.EntryDraft) { d.ExpiresAt = &past }},
		"K6 unknown type":         {"type", knowledge.CodeInvalidInput, func(d *knowledge.EntryDraft) { d.Type = "rumour" }},
		"K6 unknown source":       {"source", knowledge.CodeInvalidInput, func(d *knowledge.EntryDraft) { d.Source = "dream" }},
		"T10 wrong length":        {"embedding", knowledge.CodeInvalidInput, at(1, 2, 3)},
		"T10 NaN":                 {"embedding", knowledge.CodeInvalidInput, at(float32(math.NaN()), 1)},
		"T10 no direction":        {"embedding", knowledge.CodeInvalidInput, at(0, 0)},
		"T22 ends before it is":   {"validTo", knowledge.CodeInvalidInput, func(d *knowledge.EntryDraft) { d.ValidTo = &past }},
		"A1 unknown contact":      {"contacts.0", knowledge.CodeNotFound, func(d *knowledge.EntryDraft) { d.Contacts = []knowledge.EntityRef{{ID: "ent_x"}} }},
		"T27 a reference to none": {"mentions.0", knowledge.CodeInvalidInput, func(d *knowledge.EntryDraft) { d.Mentions = []knowledge.EntityRef{{}} }},
		"U a text too long": {"content", knowledge.CodeLimitExceeded, func(d *knowledge.EntryDraft) {
			d.Content = strings.Repeat("x", knowledge.MaxTextLength+1)
		}},
		"U too many tags": {"tags", knowledge.CodeLimitExceeded, func(d *knowledge.EntryDraft) { d.Tags = []string{strings.Repeat("a,bb,ccc,d", 1) + manyTags()} }},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.entries.Create(t.Context(), b.to, b.draft("Title", "Content", c.edit))
			var e *knowledge.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.code, e.Code, e.Error())
			require.Equal(t, c.field, e.Field)
		})
	}
}

func manyTags() string {
	var b strings.Builder
	for i := range 70 {
		b.WriteString("," + strings.Repeat("t", i+1))
	}
	return b.String()
}

func TestK21_OneEntryFromManyWriters(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	dana := b.person(t, "Dana")
	variants := []string{"Acme is on  Enterprise", "acme is on enterprise", " ACME is on\tEnterprise "}
	var wg sync.WaitGroup
	saves := make([]*knowledge.EntrySave, 16)
	for i := range saves {
		wg.Go(func() {
			d := b.draft("Acme plan", variants[i%len(variants)], about(dana))
			d.DocID = "doc" + string(rune('a'+i))
			save, err := b.entries.Create(t.Context(), b.to, d)
			if err == nil {
				saves[i] = save
			}
		})
	}
	wg.Wait()
	created := 0
	for _, s := range saves {
		require.NotNil(t, s)
		require.Equal(t, saves[0].Entry.ID, s.Entry.ID)
		require.NotEqual(t, s.Created, s.Merged)
		if s.Created {
			created++
		}
	}
	require.Equal(t, 1, created)
	rests, err := b.entries.Supports(t.Context(), b.ws.ID, []string{saves[0].Entry.ID})
	require.NoError(t, err)
	require.Len(t, rests[saves[0].Entry.ID], 16, "T5 each adds its support")

	general := b.entry(t, "Acme plan", "acme is on enterprise")
	require.NotEqual(t, saves[0].Entry.ID, general.ID, "K21 another scope is another entry")
}

func TestK20_TheSameSource(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	from := func(d *knowledge.EntryDraft) { d.Source, d.SourceID = knowledge.SourceChat, "turn 1" }
	var wg sync.WaitGroup
	ids := make([]string, 16)
	for i := range ids {
		wg.Go(func() {
			save, err := b.entries.Create(t.Context(), b.to, b.draft("Ann, Monday", "said "+strings.Repeat("x", i+1), from))
			if err == nil {
				ids[i] = save.Entry.ID
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
	other := b.entry(t, "Ann, Tuesday", "said x", from)
	require.NotEqual(t, ids[0], other.ID, "K20 another title is another entry")
}

func TestK7_Edit(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	dana, bo := b.person(t, "Dana"), b.person(t, "Bo")
	e := b.entry(t, "Plan", "Basic", about(dana), at(1, 0))
	require.NotNil(t, e.Embedding)
	b.clock.advance(time.Hour)
	content, confidence := "Enterprise plan", 0.6
	save, err := b.entries.Update(t.Context(), b.to, knowledge.EntryPatch{
		ID: e.ID, Content: &content, Confidence: &confidence, Contacts: &[]knowledge.EntityRef{{ID: bo.ID}}, Tags: &[]string{"x"},
	})
	require.NoError(t, err)
	now := b.clock.Now()
	require.Equal(t, content, save.Entry.Content)
	require.Equal(t, []string{bo.ID}, save.Entry.ContactIDs)
	require.Equal(t, now, save.Entry.LastValidatedAt, "G15")
	require.InDelta(t, 0.6, save.Entry.BaseConfidence, 0)
	require.Equal(t, knowledge.ContentHash("Plan", content), save.Entry.ContentHash)
	require.Nil(t, save.Entry.Embedding, "the vector was of another text")
	require.Equal(t, []string{"Plan"}, titles(b.ask(t, knowledge.RecallQuery{Query: "enterprise", Scope: contactScope(bo)})))
	require.Empty(t, titles(b.ask(t, knowledge.RecallQuery{Query: "enterprise", Scope: contactScope(dana)})))
	require.Empty(t, titles(b.ask(t, knowledge.RecallQuery{Query: "basic", Scope: orgWide()})))

	_, err = b.entries.Update(t.Context(), b.to, knowledge.EntryPatch{ID: "ery_none", Content: &content})
	require.Equal(t, knowledge.CodeNotFound, knowledge.CodeOf(err))
}

func TestK8_Delete(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	a, c := b.entry(t, "A", "first thing"), b.entry(t, "C", "second thing")
	_, err := b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: a.ID}, To: knowledge.EntryRef{ID: c.ID}, Type: knowledge.RelationSupports, Confidence: 1})
	require.NoError(t, err)
	counts, err := b.entries.Delete(t.Context(), b.to, a.ID)
	require.NoError(t, err)
	require.Equal(t, knowledge.DeleteCounts{Deleted: true, Entries: 1, Relations: 1}, *counts)
	counts, err = b.entries.Delete(t.Context(), b.to, a.ID)
	require.NoError(t, err)
	require.False(t, counts.Deleted)
	n, err := b.entries.CountRelationsOf(t.Context(), b.ws.ID, []string{c.ID}, service.RelationQuery{Direction: knowledge.Both})
	require.NoError(t, err)
	require.Zero(t, n[c.ID])
}

func TestK10_Lists(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	dana := b.person(t, "Dana")
	var want []string
	for i := range 7 {
		b.clock.advance(time.Minute)
		e := b.entry(t, "T"+string(rune('0'+i)), "content "+string(rune('a'+i)), about(dana))
		want = append([]string{e.ID}, want...)
	}
	b.entry(t, "general", "about nobody")
	filter := knowledge.EntryFilter{Contact: &knowledge.EntityRef{ID: dana.ID}}
	var got []string
	page := knowledge.PageRequest{First: 3}
	for {
		p, err := b.entries.List(t.Context(), b.ws.ID, filter, knowledge.TimePoint{}, page)
		require.NoError(t, err)
		for _, e := range p.Items {
			got = append(got, e.ID)
		}
		if !p.HasNextPage {
			break
		}
		page.After = &p.Cursors[len(p.Cursors)-1]
	}
	require.Equal(t, want, got, "newest first, each once")
	back, err := b.entries.List(t.Context(), b.ws.ID, filter, knowledge.TimePoint{}, knowledge.PageRequest{First: 2, Last: true})
	require.NoError(t, err)
	last := []string{back.Items[0].ID, back.Items[1].ID}
	require.Equal(t, want[5:], last)
	n, err := b.entries.Count(t.Context(), b.ws.ID, filter, knowledge.TimePoint{})
	require.NoError(t, err)
	require.Equal(t, 7, n)
	pages, err := b.entries.OfEntities(t.Context(), b.ws.ID, []string{dana.ID, "ent_none"}, service.EntityEntryQuery{}, knowledge.PageRequest{First: 5})
	require.NoError(t, err)
	require.Len(t, pages[dana.ID].Items, 5)
	require.True(t, pages[dana.ID].HasNextPage)
	require.Empty(t, pages["ent_none"].Items)
	all, err := b.entries.List(t.Context(), b.ws.ID, knowledge.EntryFilter{}, knowledge.TimePoint{}, knowledge.PageRequest{First: 100})
	require.NoError(t, err)
	require.Len(t, all.Items, 8)
}

func TestT22_EndAndReplace(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	dana := b.person(t, "Dana")
	old := b.entry(t, "Office", "Dana works in the Berlin office", about(dana))
	b.clock.advance(24 * time.Hour)
	before := b.clock.Now()
	b.clock.advance(24 * time.Hour)
	replacement := "Dana works in the Vienna office"
	save, err := b.entries.End(t.Context(), b.to, old.ID, nil, &replacement)
	require.NoError(t, err)
	require.True(t, save.Created)
	require.Equal(t, []string{dana.ID}, save.Entry.ContactIDs)
	by, err := b.entries.SupersededBy(t.Context(), b.ws.ID, []string{old.ID})
	require.NoError(t, err)
	require.Equal(t, save.Entry.ID, by[old.ID].ID)

	contents := func(at knowledge.TimePoint) []string {
		list, err := b.entries.List(t.Context(), b.ws.ID, knowledge.EntryFilter{}, at, knowledge.PageRequest{First: 10})
		require.NoError(t, err)
		found := b.ask(t, knowledge.RecallQuery{Query: "office", Scope: contactScope(dana), At: at})
		require.Len(t, found.Hits, len(list.Items), "recall and lists agree")
		out := []string{}
		for _, e := range list.Items {
			out = append(out, e.Content)
		}
		return out
	}
	require.Equal(t, []string{replacement}, contents(knowledge.TimePoint{}))
	require.Equal(t, []string{old.Content}, contents(knowledge.TimePoint{AsOf: &before}))
	require.Equal(t, []string{old.Content}, contents(knowledge.TimePoint{KnownAt: &before}), "the end was told later")
	require.Equal(t, []string{replacement, old.Content}, contents(knowledge.TimePoint{IncludeHistory: true}))

	_, err = b.entries.End(t.Context(), b.to, old.ID, &before, nil)
	require.Equal(t, knowledge.CodeConflict, knowledge.CodeOf(err), "it has ended at another moment")
	early := old.CreatedAt
	_, err = b.entries.End(t.Context(), b.to, save.Entry.ID, &early, nil)
	require.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err))
	again := b.entry(t, "Office", "Dana works in the Berlin office", about(dana))
	require.NotEqual(t, old.ID, again.ID, "what had ended and is true again is a new entry")
}

func TestG16_Validate(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	e := b.entry(t, "T", "content")
	b.clock.advance(time.Hour)
	save, err := b.entries.Validate(t.Context(), b.to, e.ID)
	require.NoError(t, err)
	require.InDelta(t, 0.84, save.Entry.Confidence, 1e-9)
	require.InDelta(t, 0.84, save.Entry.BaseConfidence, 1e-9)
	require.Equal(t, b.clock.Now(), save.Entry.LastValidatedAt)
}

func TestK14_OneRelationFromManyWriters(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	a, c := b.entry(t, "A", "first thing"), b.entry(t, "C", "second thing")
	draft := knowledge.RelationDraft{From: knowledge.EntryRef{ID: a.ID}, To: knowledge.EntryRef{ID: c.ID}, Type: knowledge.RelationSupports}
	var wg sync.WaitGroup
	saves := make([]*knowledge.RelationSave, 16)
	for i := range saves {
		wg.Go(func() {
			d := draft
			d.Confidence = float64(i+1) / 16
			if i == 3 {
				d.Weight = ptr(0.7)
			}
			save, err := b.entries.Relate(t.Context(), b.to, d)
			if err == nil {
				saves[i] = save
			}
		})
	}
	wg.Wait()
	created := 0
	for _, s := range saves {
		require.NotNil(t, s)
		require.Equal(t, saves[0].Relation.ID, s.Relation.ID)
		if s.Created {
			created++
		}
	}
	require.Equal(t, 1, created)
	pages, err := b.entries.RelationsOf(t.Context(), b.ws.ID, []string{a.ID, c.ID}, service.RelationQuery{Direction: knowledge.Both}, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, pages[a.ID].Items, 1)
	require.Len(t, pages[c.ID].Items, 1)
	r := pages[a.ID].Items[0]
	require.InDelta(t, 1.0, r.Confidence, 0, "K17 the larger confidence")
	require.InDelta(t, 0.7, *r.Weight, 0, "K17 the larger weight")

	reverse := knowledge.RelationDraft{From: draft.To, To: draft.From, Type: draft.Type, Confidence: 1}
	save, err := b.entries.Relate(t.Context(), b.to, reverse)
	require.NoError(t, err)
	require.True(t, save.Created, "K14 the other direction is another relation")
	counts, err := b.entries.Unrelate(t.Context(), b.to, save.Relation.ID)
	require.NoError(t, err)
	require.True(t, counts.Deleted)
	counts, err = b.entries.Unrelate(t.Context(), b.to, save.Relation.ID)
	require.NoError(t, err)
	require.False(t, counts.Deleted)
}

func TestK15_BadRelations(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	a := b.entry(t, "A", "first thing", func(d *knowledge.EntryDraft) { d.SourceID = "s" })
	for name, c := range map[string]struct {
		draft knowledge.RelationDraft
		code  knowledge.Code
		field string
	}{
		"K15 to itself":         {knowledge.RelationDraft{From: knowledge.EntryRef{ID: a.ID}, To: knowledge.EntryRef{ID: a.ID}}, knowledge.CodeInvalidInput, "to"},
		"K15 to itself, named":  {knowledge.RelationDraft{From: knowledge.EntryRef{ID: a.ID}, To: knowledge.EntryRef{SourceID: "s"}}, knowledge.CodeInvalidInput, "to"},
		"K15 missing end":       {knowledge.RelationDraft{From: knowledge.EntryRef{ID: a.ID}, To: knowledge.EntryRef{ID: "ery_x"}}, knowledge.CodeNotFound, "to"},
		"K15 missing beginning": {knowledge.RelationDraft{From: knowledge.EntryRef{ID: "ery_x"}, To: knowledge.EntryRef{ID: a.ID}}, knowledge.CodeNotFound, "from"},
		"two names":             {knowledge.RelationDraft{From: knowledge.EntryRef{ID: a.ID, SourceID: "s"}, To: knowledge.EntryRef{ID: a.ID}}, knowledge.CodeInvalidInput, "from"},
	} {
		t.Run(name, func(t *testing.T) {
			c.draft.Type = knowledge.RelationSupports
			_, err := b.entries.Relate(t.Context(), b.to, c.draft)
			var e *knowledge.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.code, e.Code)
			require.Equal(t, c.field, e.Field)
		})
	}
}
