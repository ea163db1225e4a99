package knowledge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"mneme/knowledge"
)

func TestE4_Domains(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "domains", 5) {
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c[2] == "yes", knowledge.PersonalDomain(c[1]), "personal")
			assert.Equal(t, c[3], knowledge.RegistrableDomain(c[1]), "registrable")
			assert.Equal(t, c[4], knowledge.DomainOrganization(c[1]), "organisation")
		})
	}
}

func TestE3_MailDomain(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"jane@acme.com": "acme.com", "jane@ACME.com" + " ": "acme.com", "jane@acme.com.": "acme.com", "jane@acme.com@x.io": "acme.com", "jane": "", "": "", "@": "",
		"jane@xn--mnchen-3ya.de": "münchen.de", "jane@München.de": "münchen.de",
	} {
		assert.Equal(t, want, knowledge.MailDomain(address), address)
	}
}

func TestE9_Senders(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "senders", 3) {
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c[2] == "yes", knowledge.AutomatedAddress(c[1]), c[1])
		})
	}
}

func TestE19_Headers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		headers map[string]any
		want    bool
	}{
		{"auto-generated", map[string]any{"Auto-Submitted": "auto-generated"}, true},
		{"auto-replied with a parameter", map[string]any{"auto-submitted": "auto-replied; owner-email=\"x@y.z\""}, true},
		{"in capitals", map[string]any{"AUTO-SUBMITTED": " Auto-Replied "}, true},
		{"in a list", map[string]any{"Auto-Submitted": []any{"auto-notified"}}, true},
		{"no", map[string]any{"Auto-Submitted": "no"}, false},
		{"no with a comment", map[string]any{"Auto-Submitted": "No (a person)"}, false},
		{"empty", map[string]any{"Auto-Submitted": ""}, false},
		{"a mailing list", map[string]any{"List-Id": "<dev.lists.acme.org>", "Precedence": "list"}, false},
		{"a bounce", map[string]any{"Content-Type": "multipart/report; report-type=delivery-status; boundary=x"}, true},
		{"a report of reading", map[string]any{"Content-Type": "multipart/report; report-type=disposition-notification"}, false},
		{"another header", map[string]any{"X-Auto-Submitted": "auto-generated"}, false},
		{"not a text", map[string]any{"Auto-Submitted": 1.0}, false},
		{"none", nil, false},
	} {
		assert.Equal(t, c.want, knowledge.AutomatedHeaders(c.headers), c.name)
	}
}
