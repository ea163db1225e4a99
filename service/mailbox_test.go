package service_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func (b *bundle) deliver(t *testing.T, e knowledge.MailboxEvent) *knowledge.MailboxIngest {
	t.Helper()
	if e.Type == "" {
		e.Type = "received"
	}
	out, err := b.intake.IngestMailboxEvent(t.Context(), b.to, e)
	require.NoError(t, err)
	return out
}

// counted is what a workspace holds: entities, edges, observations.
func (b *bundle) counted(t *testing.T) [3]int {
	t.Helper()
	sum, err := b.workspaces.Summary(t.Context(), b.ws, 0, knowledge.TimePoint{})
	require.NoError(t, err)
	return [3]int{sum.Entities, sum.Edges, sum.Observations}
}

func (b *bundle) find(t *testing.T, typ, name string) *knowledge.Entity {
	t.Helper()
	e, err := b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{Name: name, Type: typ})
	require.NoError(t, err)
	return e
}

func sam(fingerprint string) knowledge.MailboxEvent {
	return knowledge.MailboxEvent{Fingerprint: fingerprint, SenderEmail: "sam@mail.acme.co.uk", SenderName: "Sam Lee", Subject: "Hello " + fingerprint, ThreadID: "th-1"}
}

func TestE10_Events(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		event knowledge.MailboxEvent
		want  [3]int
	}{
		{"E-S1", knowledge.MailboxEvent{SenderEmail: "jane@gmail.com", SenderName: "Jane Doe", Summary: "hi"}, [3]int{1, 0, 1}},
		{"E-S2", sam("f1"), [3]int{2, 1, 2}},
		{"E-S6", knowledge.MailboxEvent{SenderEmail: "bob@gmail.com", Company: "ACME Corporation"}, [3]int{2, 1, 2}},
		{"E-S7", knowledge.MailboxEvent{SenderEmail: "alerts@ops.io", Organization: "Ops Ltd"}, [3]int{1, 0, 1}},
		{"E-S8", knowledge.MailboxEvent{SenderName: "Kim"}, [3]int{1, 0, 1}},
		{"E-S10", knowledge.MailboxEvent{SenderEmail: "a@t.co"}, [3]int{1, 0, 1}},
		{"E-S12", knowledge.MailboxEvent{SenderEmail: "sam@acme.com", ProjectHint: "Apollo", ProjectHints: []string{"Zeus"}}, [3]int{3, 2, 3}},
		{"E-S14", knowledge.MailboxEvent{SenderEmail: "sam@acme.com", Company: "X"}, [3]int{1, 0, 1}},
		{"E-S15", knowledge.MailboxEvent{Summary: "nothing"}, [3]int{}},
		{"E-S16", knowledge.MailboxEvent{SenderEmail: "sam@acme.com", Summary: "see <no-memory>"}, [3]int{}},
		{"E-S21", knowledge.MailboxEvent{SenderEmail: "jane@privaterelay.appleid.com"}, [3]int{1, 0, 1}},
		{"E13 a project without a person has no edge", knowledge.MailboxEvent{SenderEmail: "noreply@acme.com", ProjectHint: "Apollo"}, [3]int{2, 0, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			out := b.deliver(t, c.event)
			assert.Equal(t, c.want, b.counted(t))
			assert.Len(t, out.Observations, c.want[2])
			assert.False(t, out.Duplicate)
		})
	}
}

func TestE13_Edges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	out := b.deliver(t, knowledge.MailboxEvent{SenderEmail: "sam@acme.com", ProjectHint: "Apollo", ThreadID: "th-1", Fingerprint: "f1"})
	edges, err := b.edges.OfEntities(t.Context(), b.ws.ID, []string{out.Person.ID}, service.EdgeQuery{Direction: knowledge.Outgoing}, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	got := map[string]*knowledge.Edge{}
	for _, e := range edges[out.Person.ID].Items {
		got[e.Type] = e
	}
	require.Len(t, got, 2)
	assert.Equal(t, out.Organization.ID, got["works_at"].ToID)
	assert.InDelta(t, 0.72, got["works_at"].Confidence, 1e-9)
	assert.Equal(t, map[string]any{"source": "mailbox"}, got["works_at"].Properties)
	assert.Equal(t, out.Project.ID, got["related_to"].ToID)
	assert.InDelta(t, 0.70, got["related_to"].Confidence, 1e-9)
	assert.Equal(t, map[string]any{"source": "mailbox", "threadId": "th-1"}, got["related_to"].Properties)
	assert.Equal(t, knowledge.ActorAuto, got["works_at"].Source)
	assert.Equal(t, "th-1", *out.Person.TaskID, "E16")
}

func TestE17_Redelivery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.deliver(t, sam("f1"))
	b.clock.advance(time.Hour)
	again := b.deliver(t, sam("f1"))
	assert.True(t, again.Duplicate, "E-S4")
	assert.Equal(t, first.Person.ID, again.Person.ID)
	assert.Equal(t, first.Organization.ID, again.Organization.ID)
	assert.Len(t, again.Observations, 2)
	assert.Equal(t, [3]int{2, 1, 2}, b.counted(t), "E-S4")
	assert.InDelta(t, 0.82, b.find(t, "person", "Sam Lee").Confidence, 1e-9, "E-S4")
	assert.InDelta(t, 0.72, b.find(t, "organization", "Acme").Confidence, 1e-9, "E-S4")
	assert.Equal(t, first.Person.LastSeenAt, b.find(t, "person", "Sam Lee").LastSeenAt)

	fresh := b.deliver(t, sam("f2"))
	assert.False(t, fresh.Duplicate, "E-S5")
	assert.Equal(t, [3]int{2, 1, 4}, b.counted(t), "E-S5")

	machine := b.deliver(t, knowledge.MailboxEvent{SenderEmail: "noreply@news.acme.co.uk", SenderName: "Acme", Fingerprint: "f3", Subject: "News"})
	assert.Nil(t, machine.Person, "E-S3")
	assert.Equal(t, first.Organization.ID, machine.Organization.ID, "E-S3")
	assert.Equal(t, [3]int{2, 1, 5}, b.counted(t), "E-S3")
}

func TestE17_RedeliveryWithoutAFingerprint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := knowledge.MailboxEvent{SenderEmail: "sam@acme.com", Subject: "same"}
	b.deliver(t, e)
	assert.True(t, b.deliver(t, e).Duplicate)
	e.Subject = "other"
	assert.False(t, b.deliver(t, e).Duplicate)
	assert.Equal(t, [3]int{2, 1, 4}, b.counted(t))
}

func TestE15_FingerprintsOfRemarks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	out := b.deliver(t, knowledge.MailboxEvent{ID: "evt-9", SenderName: "Kim"})
	assert.Equal(t, "mailbox:received:evt-9", out.Observations[0].Fingerprint, "E-S20")
	out = b.deliver(t, knowledge.MailboxEvent{SenderName: "Lee", Summary: "x"})
	assert.Contains(t, out.Observations[0].Fingerprint, "content:")
}

func TestE11_OrganizationOfDomain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	out := b.deliver(t, sam("f1"))
	assert.Equal(t, "mail.acme.co.uk", out.Organization.Properties["domain"], "E-S2")
	other := b.deliver(t, knowledge.MailboxEvent{SenderEmail: "pat@acme.io", Fingerprint: "f2"})
	assert.NotEqual(t, out.Organization.ID, other.Organization.ID, "A11 another domain, another Acme")
	byDomain, err := b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{Identity: &knowledge.ContactIdentity{Kind: "domain", Value: "acme.co.uk"}})
	require.NoError(t, err)
	assert.Equal(t, out.Organization.ID, byDomain.ID)
	byMail, err := b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{Identity: &knowledge.ContactIdentity{Kind: "email", Value: "SAM@mail.acme.co.uk"}})
	require.NoError(t, err)
	assert.Equal(t, out.Person.ID, byMail.ID)
	named := b.deliver(t, knowledge.MailboxEvent{SenderEmail: "x@acme.co.uk", Company: "Acme Ltd", Fingerprint: "f3"})
	assert.Equal(t, out.Organization.ID, named.Organization.ID, "the domain's owner under its full name")
}

func TestA18_MailboxMeetsWhatIsThere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.entities.Upsert(t.Context(), b.agent, knowledge.EntityDraft{Type: "organization", Name: "AMAZON", Description: ptr("A shop"), Confidence: ptr(0.5)})
	require.NoError(t, err)
	_, err = b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "person", Name: "Jane Doe", Description: ptr("A friend")})
	require.NoError(t, err)

	out := b.deliver(t, knowledge.MailboxEvent{SenderEmail: "sam@amazon.com", Fingerprint: "f1"})
	assert.Equal(t, "AMAZON", out.Organization.Name, "E-S18")
	assert.Equal(t, knowledge.ActorAgent, out.Organization.Source, "E-S18")
	assert.Equal(t, "A shop", *out.Organization.Description, "E-S18")
	assert.Equal(t, "amazon.com", out.Organization.Properties["domain"], "E-S18")
	assert.InDelta(t, 0.6, out.Organization.Confidence, 1e-9, "E-S18")

	out = b.deliver(t, knowledge.MailboxEvent{SenderEmail: "jane@gmail.com", SenderName: "Jane Doe", Fingerprint: "f2"})
	assert.Equal(t, knowledge.ActorManual, out.Person.Source, "E-S19")
	assert.Equal(t, "A friend", *out.Person.Description, "E-S19")
	assert.Equal(t, "jane@gmail.com", out.Person.Properties["email"], "E-S19")
}

func TestE17_ConcurrentDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var wg sync.WaitGroup
	duplicates, errs := make([]bool, 16), make([]error, 16)
	for i := range duplicates {
		wg.Go(func() {
			e := sam("f1")
			e.Type = "received"
			out, err := b.intake.IngestMailboxEvent(t.Context(), b.to, e)
			if err == nil {
				duplicates[i] = out.Duplicate
			}
			errs[i] = err
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
	firsts := 0
	for _, d := range duplicates {
		if !d {
			firsts++
		}
	}
	assert.Equal(t, 1, firsts)
	assert.Equal(t, [3]int{2, 1, 2}, b.counted(t))
	assert.InDelta(t, 0.82, b.find(t, "person", "Sam Lee").Confidence, 1e-9)
}

func TestE18_FaultyEventWritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.intake.IngestMailboxEvent(t.Context(), b.to, knowledge.MailboxEvent{SenderEmail: "sam@acme.com"})
	assert.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err))
	for _, address := range []string{"kim@one.com", "kim@two.com"} {
		b.deliver(t, knowledge.MailboxEvent{SenderEmail: address, SenderName: "Kim", Fingerprint: address})
	}
	before := b.counted(t)
	_, err = b.intake.IngestMailboxEvent(t.Context(), b.to, knowledge.MailboxEvent{Type: "received", SenderName: "Kim", Company: "New Firm", Fingerprint: "f3"})
	assert.Equal(t, knowledge.CodeAmbiguous, knowledge.CodeOf(err))
	assert.Equal(t, before, b.counted(t))
}

func TestE13_OlderMailComesLater(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i, days := range []int{-10, -20, 5} {
		at := b.clock.Now().AddDate(0, 0, days)
		e := sam(string(rune('a' + i)))
		e.OccurredAt = &at
		out := b.deliver(t, e)
		if days < 0 {
			assert.Equal(t, at, out.Observations[0].ObservedAt)
		} else {
			assert.Equal(t, b.clock.Now(), out.Observations[0].ObservedAt, "a sender's clock may be wrong")
		}
	}
	assert.Equal(t, [3]int{2, 1, 6}, b.counted(t))
}

func TestE2_TheGateComesFirst(t *testing.T) {
	t.Parallel()
	for column, code := range map[string]string{"disabled": "MEMORY_DISABLED", "off": "MEMORY_DISABLED", "no capture": "MEMORY_DISABLED", "unreadable": "MEMORY_DISABLED"} {
		t.Run("E2 "+column, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.settings(t, column)
			out := b.deliver(t, sam("f1"))
			require.NotNil(t, out.Skipped)
			assert.Equal(t, code, *out.Skipped)
			assert.Nil(t, out.Person)
			assert.Empty(t, out.Observations)
			assert.Equal(t, [3]int{}, b.counted(t), "nothing is written")
			b.settings(t, "normal")
			assert.False(t, b.deliver(t, sam("f1")).Duplicate, "what was refused was not taken in either")
		})
	}
}
