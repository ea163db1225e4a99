package knowledge_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

func name(d *knowledge.EntityDraft) string {
	if d == nil {
		return ""
	}
	return d.Name
}

func read(t *testing.T, e knowledge.MailboxEvent) knowledge.MailboxReading {
	t.Helper()
	if e.Type == "" {
		e.Type = "received"
	}
	checked, err := e.Checked()
	require.NoError(t, err)
	r := checked.Read()
	for _, d := range []*knowledge.EntityDraft{r.Person, r.Organization, r.Project} {
		if d != nil {
			_, err := d.Checked()
			require.NoError(t, err)
			assert.Equal(t, knowledge.ActorAuto, d.Source, "E16")
			assert.Equal(t, e.ThreadID, d.TaskID, "E16")
			assert.Equal(t, "mailbox", d.Properties["source"])
		}
	}
	return r
}

func TestE10_WhoAndWhat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                  string
		event                 knowledge.MailboxEvent
		person, organization  string
		project, domain       string
		personID, domainKnown string
	}{
		{name: "E-S1", event: knowledge.MailboxEvent{SenderEmail: "jane@gmail.com", SenderName: "Jane Doe"}, person: "Jane Doe", personID: "jane@gmail.com"},
		{name: "E-S2", event: knowledge.MailboxEvent{SenderEmail: "sam@mail.acme.co.uk", SenderName: "Sam Lee"}, person: "Sam Lee", organization: "Acme", domain: "mail.acme.co.uk", personID: "sam@mail.acme.co.uk", domainKnown: "acme.co.uk"},
		{name: "E-S3", event: knowledge.MailboxEvent{SenderEmail: "noreply@news.acme.co.uk", SenderName: "Acme"}, organization: "Acme", domain: "news.acme.co.uk", domainKnown: "acme.co.uk"},
		{name: "E-S6", event: knowledge.MailboxEvent{SenderEmail: "bob@gmail.com", Company: "ACME Corporation"}, person: "bob@gmail.com", organization: "ACME Corporation", personID: "bob@gmail.com"},
		{name: "E-S7", event: knowledge.MailboxEvent{SenderEmail: "alerts@ops.io", Organization: "Ops Ltd"}, organization: "Ops Ltd", domain: "ops.io", domainKnown: "ops.io"},
		{name: "E-S8", event: knowledge.MailboxEvent{SenderName: "Kim"}, person: "Kim"},
		{name: "E-S9", event: knowledge.MailboxEvent{SenderEmail: "lee@acme.io"}, person: "lee@acme.io", organization: "Acme", domain: "acme.io", personID: "lee@acme.io", domainKnown: "acme.io"},
		{name: "E-S10", event: knowledge.MailboxEvent{SenderEmail: "a@t.co"}, person: "a@t.co", personID: "a@t.co"},
		{name: "E-S11", event: knowledge.MailboxEvent{SenderEmail: "root@localhost", SenderName: "Root"}, person: "Root", personID: "root@localhost"},
		{name: "E-S12", event: knowledge.MailboxEvent{SenderEmail: "sam@acme.com", ProjectHint: "Apollo", ProjectHints: []string{"Zeus"}}, person: "sam@acme.com", organization: "Acme", project: "Apollo", domain: "acme.com", personID: "sam@acme.com", domainKnown: "acme.com"},
		{name: "E-S12 with only hints", event: knowledge.MailboxEvent{SenderEmail: "sam@acme.com", ProjectHints: []string{"Zeus"}}, person: "sam@acme.com", organization: "Acme", project: "Zeus", domain: "acme.com", personID: "sam@acme.com", domainKnown: "acme.com"},
		{name: "E-S13", event: knowledge.MailboxEvent{SenderEmail: "sam@acme.com", SenderName: "Sam", ProjectHint: "ab", ProjectNames: []string{"Apollo"}}, person: "Sam", organization: "Acme", domain: "acme.com", personID: "sam@acme.com", domainKnown: "acme.com"},
		{name: "E-S14", event: knowledge.MailboxEvent{SenderEmail: "sam@acme.com", Company: "X"}, person: "sam@acme.com", personID: "sam@acme.com"},
		{name: "E-S15", event: knowledge.MailboxEvent{Subject: "Hello", Summary: "something"}},
		{name: "E-S21", event: knowledge.MailboxEvent{SenderEmail: "jane@privaterelay.appleid.com"}, person: "jane@privaterelay.appleid.com", personID: "jane@privaterelay.appleid.com"},
		{name: "E-S22", event: knowledge.MailboxEvent{SenderEmail: "notifications@github.com"}, organization: "Github", domain: "github.com", domainKnown: "github.com"},
		{name: "E1 the contact before the sender", event: knowledge.MailboxEvent{ContactEmail: "c@one.com", ContactName: "Cee", SenderEmail: "s@two.com", SenderName: "Ess", Company: "Firm", Organization: "Other"}, person: "Cee", organization: "Firm", domain: "one.com", personID: "c@one.com"},
		{name: "E1 blank is empty", event: knowledge.MailboxEvent{ContactEmail: "  ", ContactName: "\t", SenderEmail: " s@two.com ", ProjectHint: " ", ProjectHints: []string{"", " "}, ProjectNames: []string{" Hermes "}}, person: "s@two.com", organization: "Two", project: "Hermes", domain: "two.com", personID: "s@two.com", domainKnown: "two.com"},
		{name: "E1 related projects come last", event: knowledge.MailboxEvent{SenderName: "Kim", RelatedProjects: []string{"Juno"}}, person: "Kim", project: "Juno"},
		{name: "E10 names in other scripts", event: knowledge.MailboxEvent{SenderEmail: "wang@例え.jp", SenderName: "王小明"}, person: "王小明", organization: "例え", domain: "例え.jp", personID: "wang@例え.jp", domainKnown: "例え.jp"},
		{name: "E10 a Cyrillic name", event: knowledge.MailboxEvent{SenderEmail: "ivan@yandex.ru", SenderName: "Иван Петров"}, person: "Иван Петров", personID: "ivan@yandex.ru"},
		{name: "E10 an address without a domain", event: knowledge.MailboxEvent{SenderEmail: "root"}, person: "root"},
		{name: "E11 a company from an automated sender", event: knowledge.MailboxEvent{SenderEmail: "no-reply@gmail.com", Company: "Beta GmbH"}, organization: "Beta GmbH"},
		{name: "E11 a company at another's domain", event: knowledge.MailboxEvent{SenderEmail: "kim@agency.com", Company: "Client AG"}, person: "kim@agency.com", organization: "Client AG", domain: "agency.com", personID: "kim@agency.com"},
		{name: "E11 one character in another script", event: knowledge.MailboxEvent{SenderEmail: "a@例.jp"}, person: "a@例.jp", personID: "a@例.jp"},
		{name: "E12 three characters are enough", event: knowledge.MailboxEvent{SenderName: "Kim", ProjectHint: "四海圖"}, person: "Kim", project: "四海圖"},
		{name: "E19 an automatic answer", event: knowledge.MailboxEvent{SenderEmail: "sam@acme.com", SenderName: "Sam", Headers: map[string]any{"Auto-Submitted": "auto-replied"}}, organization: "Acme", domain: "acme.com", domainKnown: "acme.com"},
		{name: "E19 a mailing list", event: knowledge.MailboxEvent{SenderEmail: "sam@acme.com", SenderName: "Sam", Headers: map[string]any{"List-Id": "<dev.acme.com>"}}, person: "Sam", organization: "Acme", domain: "acme.com", personID: "sam@acme.com", domainKnown: "acme.com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := read(t, c.event)
			assert.Equal(t, []string{c.person, c.organization, c.project}, []string{name(r.Person), name(r.Organization), name(r.Project)})
			if r.Organization != nil {
				domain, _ := r.Organization.Properties["domain"].(string)
				assert.Equal(t, c.domain, domain)
				assert.Equal(t, identities(knowledge.IdentityDomain, c.domainKnown), r.Organization.Identities)
			}
			if r.Person != nil {
				assert.Equal(t, identities(knowledge.IdentityEmail, c.personID), r.Person.Identities)
			}
		})
	}
}

func identities(kind, value string) []knowledge.ContactIdentity {
	if value == "" {
		return nil
	}
	return []knowledge.ContactIdentity{{Kind: kind, Value: value}}
}

func TestE13_ConfidencesAndProperties(t *testing.T) {
	t.Parallel()
	r := read(t, knowledge.MailboxEvent{SenderEmail: "sam@acme.com", SenderName: "Sam", ProjectHint: "Apollo", ThreadID: "th-1", Subject: "Plan"})
	assert.InDelta(t, 0.82, *r.Person.Confidence, 1e-9)
	assert.InDelta(t, 0.72, *r.Organization.Confidence, 1e-9)
	assert.InDelta(t, 0.68, *r.Project.Confidence, 1e-9)
	assert.Equal(t, map[string]any{"source": "mailbox", "email": "sam@acme.com", "threadId": "th-1"}, r.Person.Properties, "E10")
	assert.Equal(t, map[string]any{"source": "mailbox", "domain": "acme.com"}, r.Organization.Properties, "E11")
	assert.Equal(t, map[string]any{"source": "mailbox", "threadId": "th-1", "subject": "Plan"}, r.Project.Properties, "E12")
	assert.Contains(t, *r.Person.Description, "sam@acme.com")
	assert.Contains(t, *read(t, knowledge.MailboxEvent{SenderName: "Kim"}).Person.Description, "Kim")
}

func TestE14_Observation(t *testing.T) {
	t.Parallel()
	full := knowledge.MailboxEvent{
		Type: "received", Subject: " Plan ", Summary: "for\n the  spring", Reason: "asked", EvidenceRefs: []string{"m1", "m2"}, CommitmentTitles: []string{"send it", "call"}, SenderName: "Kim",
	}
	assert.Equal(t, "received · Plan for the spring asked · m1, m2 · send it | call", read(t, full).Observation)
	assert.Equal(t, "received", read(t, knowledge.MailboxEvent{SenderName: "Kim"}).Observation)

	long := read(t, knowledge.MailboxEvent{Summary: strings.Repeat("ä", 400)}).Observation
	assert.Equal(t, "received · "+strings.Repeat("ä", 279)+"…", long)
	fits := read(t, knowledge.MailboxEvent{Summary: strings.Repeat("ä", 280)}).Observation
	assert.Equal(t, "received · "+strings.Repeat("ä", 280), fits)
	whole := read(t, knowledge.MailboxEvent{Summary: strings.Repeat("a", 280), EvidenceRefs: []string{strings.Repeat("b", 300)}}).Observation
	assert.Equal(t, 500, utf8.RuneCountInString(whole))
	assert.True(t, strings.HasSuffix(whole, "b…"))
}

func TestE15_Fingerprint(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "mailbox:received:f1", read(t, knowledge.MailboxEvent{Fingerprint: "f1", ID: "evt-9"}).Fingerprint)
	assert.Equal(t, "mailbox:received:evt-9", read(t, knowledge.MailboxEvent{ID: "evt-9"}).Fingerprint, "E-S20")
	assert.Empty(t, read(t, knowledge.MailboxEvent{Subject: "x"}).Fingerprint)
}

func TestE17_Claim(t *testing.T) {
	t.Parallel()
	claim := func(e knowledge.MailboxEvent) string { return read(t, e).Claim }
	assert.Equal(t, claim(knowledge.MailboxEvent{Fingerprint: "f1", Subject: "a"}), claim(knowledge.MailboxEvent{Fingerprint: "f1", Subject: "b"}))
	assert.NotEqual(t, claim(knowledge.MailboxEvent{Fingerprint: "f1"}), claim(knowledge.MailboxEvent{Fingerprint: "f1", Type: "sent"}))
	assert.NotEqual(t, claim(knowledge.MailboxEvent{Fingerprint: "f1"}), claim(knowledge.MailboxEvent{Fingerprint: "f2"}))
	again := claim(knowledge.MailboxEvent{Subject: "a"})
	assert.Equal(t, claim(knowledge.MailboxEvent{Subject: "a"}), again)
	assert.NotEqual(t, claim(knowledge.MailboxEvent{Subject: "a"}), claim(knowledge.MailboxEvent{Subject: "b"}))
}

func TestE1_Limits(t *testing.T) {
	t.Parallel()
	for field, e := range map[string]knowledge.MailboxEvent{
		"type": {}, "subject": {Type: "x", Subject: strings.Repeat("a", knowledge.MaxTextLength+1)}, "senderName": {Type: "x", SenderName: strings.Repeat("a", knowledge.MaxNameLength+1)},
		"projectHints": {Type: "x", ProjectHints: make([]string, knowledge.MaxPage+1)}, "reason": {Type: "x", Reason: "\x00"},
		"headers": {Type: "x", Headers: map[string]any{"x": strings.Repeat("a", knowledge.MaxPropertiesBytes+1)}},
	} {
		_, err := e.Checked()
		require.Error(t, err, field)
		assert.Contains(t, err.Error(), field)
	}
}

func TestF4_EventWithMarker(t *testing.T) {
	t.Parallel()
	for _, e := range []knowledge.MailboxEvent{
		{Subject: "a <no-memory>"},
		{Summary: "<no-memory/>"},
		{Reason: "< NO-MEMORY >"},
		{ProjectHint: "<no-memory>"},
		{ProjectHints: []string{"a", "<no-memory>"}},
		{ProjectNames: []string{"<no-memory>"}},
		{RelatedProjects: []string{"<no-memory>"}},
		{CommitmentTitles: []string{"<no-memory>"}},
	} {
		assert.True(t, e.NoMemory(), "%+v", e)
	}
	assert.False(t, knowledge.MailboxEvent{Subject: "no-memory"}.NoMemory())
}
