package service_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

func (b *bundle) mail(t *testing.T, m knowledge.Mail) *knowledge.MailImport {
	t.Helper()
	if m.Kind == "" {
		m.Kind = knowledge.MailReceived
	}
	ws, err := b.workspaces.Get(t.Context(), b.ws.Key)
	require.NoError(t, err)
	out, err := b.intake.ImportMail(t.Context(), ws, b.to.Caller, &m, nil)
	require.NoError(t, err)
	return out
}

func letter(id, subject string, edit ...func(*knowledge.Mail)) knowledge.Mail {
	m := knowledge.Mail{
		MessageID: id, Subject: subject, Text: "Text of " + id, From: knowledge.MailAddress{Name: "Jane Doe", Address: "jane@acme.com"},
		To: []knowledge.MailAddress{{Name: "Bob Lee", Address: "bob@beta.io"}, {Address: "team@beta.io"}},
	}
	for _, e := range edit {
		e(&m)
	}
	return m
}

func sent(at time.Time) func(*knowledge.Mail) { return func(m *knowledge.Mail) { m.SentAt = &at } }

func answers(ids ...string) func(*knowledge.Mail) {
	return func(m *knowledge.Mail) { m.References, m.InReplyTo = ids, ids[len(ids)-1] }
}

func TestE10_ImportedMail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	at := time.Date(2026, 2, 1, 8, 0, 0, 0, time.UTC)
	m := b.mail(t, letter("m1", "Plan", sent(at))).Message
	require.NotNil(t, m)
	assert.Equal(t, "m1", m.ThreadID)
	assert.Equal(t, "Text of m1", *m.Text)
	assert.Equal(t, at, m.SentAt, "T17")
	assert.Equal(t, b.find(t, "person", "Jane Doe").ID, *m.FromID)
	assert.Equal(t, []string{*m.FromID, b.find(t, "person", "Bob Lee").ID}, m.ParticipantIDs, "an address without a name is no contact yet")
	assert.Equal(t, "jane@acme.com", b.find(t, "person", "Jane Doe").Identities[0].Value)
	assert.Equal(t, [3]int{3, 1, 2}, b.counted(t), "Jane, Acme, Bob; works_at; a remark on the first two")

	again := b.mail(t, letter("m1", "Plan", sent(at)))
	assert.True(t, again.Duplicate)
	assert.Equal(t, [3]int{3, 1, 2}, b.counted(t), "E17")
	page, err := b.all.Messages.List(t.Context(), b.ws.ID, "", knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	assert.Equal(t, m, page.Items[0])

	edges, err := b.edges.ByIDs(t.Context(), b.ws.ID, nil)
	require.NoError(t, err)
	assert.Empty(t, edges)
	remarks, err := b.notes.OfEntities(t.Context(), b.ws.ID, []string{*m.FromID}, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	supports, err := b.notes.Supports(t.Context(), b.ws.ID, []string{remarks[*m.FromID].Items[0].ID})
	require.NoError(t, err)
	var rests []string
	for _, s := range supports[remarks[*m.FromID].Items[0].ID] {
		if s.MessageID != nil {
			rests = append(rests, *s.MessageID)
		}
	}
	assert.Equal(t, []string{m.ID}, rests, "T5")
}

func TestE10_Threads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	day := func(n int) func(*knowledge.Mail) { return sent(time.Date(2026, 1, n, 8, 0, 0, 0, time.UTC)) }
	assert.Equal(t, "a", b.mail(t, letter("c", "Re: Plan", day(3), answers("a", "b"))).Message.ThreadID, "the oldest that it names")
	assert.Equal(t, "a", b.mail(t, letter("b", "Re: Plan", day(2), answers("a"))).Message.ThreadID)
	assert.Equal(t, "a", b.mail(t, letter("a", "Plan", day(1))).Message.ThreadID)
	assert.Equal(t, "a", b.mail(t, letter("d", "AW: Plan", day(4))).Message.ThreadID, "by its subject among the same people")
	assert.Equal(t, "e", b.mail(t, letter("e", "Plan", day(5))).Message.ThreadID, "no answer: a conversation of its own")
	stranger := func(m *knowledge.Mail) {
		m.From, m.To = knowledge.MailAddress{Name: "Zed", Address: "zed@zulu.io"}, nil
	}
	assert.Equal(t, "f", b.mail(t, letter("f", "Re: Plan", day(6), stranger)).Message.ThreadID, "the same subject among others")

	assert.Equal(t, "y", b.mail(t, letter("z", "Re: Other", day(7), answers("y"))).Message.ThreadID)
	assert.Equal(t, "x", b.mail(t, letter("y", "Re: Other", day(7), answers("x"))).Message.ThreadID)
	found, err := b.all.Messages.List(t.Context(), b.ws.ID, "x", knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	assert.Len(t, found.Items, 2, "what came before was moved along")
	n, err := b.all.Messages.Count(t.Context(), b.ws.ID, "a")
	require.NoError(t, err)
	assert.Equal(t, 4, n)

	notes, err := b.all.Messages.History(t.Context(), b.ws, "a", 2)
	require.NoError(t, err)
	require.Len(t, notes, 2)
	assert.Equal(t, "Re: Plan\nText of c", notes[0].Text, "L23 the newest, oldest first")
	assert.Equal(t, "Jane Doe", notes[0].Who)
}

func TestE10_MessagesPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	at := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
	for i := range 7 {
		b.mail(t, letter(fmt.Sprintf("m%d", i), "S", sent(at.AddDate(0, 0, i/2))))
	}
	var got []string
	page := knowledge.PageRequest{First: 3}
	for {
		found, err := b.all.Messages.List(t.Context(), b.ws.ID, "", page)
		require.NoError(t, err)
		for _, m := range found.Items {
			got = append(got, m.MessageID)
		}
		if !found.HasNextPage {
			break
		}
		page.After = &found.Cursors[len(found.Cursors)-1]
	}
	assert.Equal(t, []string{"m6", "m5", "m4", "m3", "m2", "m1", "m0"}, got)
	other := setup(t)
	n, err := other.all.Messages.Count(t.Context(), other.ws.ID, "")
	require.NoError(t, err)
	assert.Zero(t, n, "R1")
	require.NoError(t, b.store.ClearWorkspace(t.Context(), b.ws.ID))
	n, err = b.all.Messages.Count(t.Context(), b.ws.ID, "")
	require.NoError(t, err)
	assert.Zero(t, n, "R4")
}

func TestF2_ImportedMail(t *testing.T) {
	t.Parallel()
	for column, want := range map[string]string{"normal": "", "strict": "", "no capture": "", "disabled": "MEMORY_DISABLED", "off": "MEMORY_DISABLED"} {
		t.Run(column, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.settings(t, column)
			out := b.mail(t, letter("m1", "Plan"))
			if want != "" {
				assert.Equal(t, want, *out.Skipped)
				assert.Equal(t, [3]int{}, b.counted(t))
				return
			}
			assert.Equal(t, 3, b.counted(t)[0])
			if column == "strict" {
				assert.Nil(t, out.Message.Text)
				notes, err := b.notes.OfEntities(t.Context(), b.ws.ID, []string{*out.Message.FromID}, knowledge.PageRequest{First: 5})
				require.NoError(t, err)
				assert.NotContains(t, notes[*out.Message.FromID].Items[0].Text, "Text of")
			}
			marked := b.mail(t, letter("m2", "Plan", func(m *knowledge.Mail) { m.NoMemory = true }))
			assert.Equal(t, "NO_MEMORY", *marked.Skipped, "F4")
		})
	}
}

func TestT19_ErasedContactsMails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.mail(t, letter("m1", "Plan"))
	b.mail(t, letter("m2", "Other", func(m *knowledge.Mail) {
		m.From, m.To = knowledge.MailAddress{Name: "Bob Lee", Address: "bob@beta.io"}, []knowledge.MailAddress{m.From}
	}))
	jane := b.find(t, "person", "Jane Doe")
	require.NoError(t, b.store.EraseMessages(t.Context(), b.ws.ID, jane.ID))
	found, err := b.all.Messages.List(t.Context(), b.ws.ID, "", knowledge.PageRequest{First: 5})
	require.NoError(t, err)
	require.Len(t, found.Items, 1)
	assert.Equal(t, "m2", found.Items[0].MessageID)
	assert.NotContains(t, found.Items[0].ParticipantIDs, jane.ID)
}
