package knowledge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"mneme/knowledge"
)

func TestE5_OrganizationLabel(t *testing.T) {
	t.Parallel()
	for domain, want := range map[string]string{
		"acme.com": "Acme", "news.acme.com": "Acme", "a.b.acme.co.jp": "Acme", "acme.github.io": "Acme", "big-corp.de": "Big-corp", "ACME.IO": "Acme", "3m.com": "3m",
		"münchen.de": "München", "xn--mnchen-3ya.de": "München", "例え.jp": "例え", "пример.рф": "Пример", "foo.gv.at": "Foo", "x.com": "", "co.uk": "", "localhost": "", "": "",
	} {
		assert.Equal(t, want, knowledge.DomainOrganization(domain), domain)
	}
}

func TestE7_PersonalDomains(t *testing.T) {
	t.Parallel()
	for _, domain := range strings.Fields("126.com 163.com anonaddy.me btinternet.com comcast.net duck.com free.fr hanmail.net hey.com laposte.net libero.it mac.com mail.ru me.com naver.com orange.fr passmail.net pm.me " +
		"privaterelay.appleid.com qq.com sbcglobal.net seznam.cz simplelogin.com users.noreply.github.com verizon.net web.de ya.ru") {
		for _, form := range []string{domain, "sub." + domain, "a.b." + domain, strings.ToUpper(domain), domain + "."} {
			assert.True(t, knowledge.PersonalDomain(form), form)
			assert.Empty(t, knowledge.DomainOrganization(form), form)
		}
		for _, form := range []string{"x" + domain, domain + ".example.com"} {
			assert.False(t, knowledge.PersonalDomain(form), form)
		}
	}
	for _, domain := range []string{"appleid.com", "github.com", "noreply.github.com", "me.org", "free.com", "web.dev", "orange.com", "hey.org"} {
		assert.False(t, knowledge.PersonalDomain(domain), "%s: only the exact domain and what is below it", domain)
	}
}

func TestE8_PersonalByLabelOrDomain(t *testing.T) {
	t.Parallel()
	for domain, want := range map[string]bool{
		"gmail.de": true, "mail.gmail.com": true, "yahoo.co.in": true, "web.de": true, "t-online.de": true, "gmx.net": true, "posteo.de": true, "wanadoo.fr": true,
		"gmail.acme.com": false, "yahoo-group.com": false, "acme.com": false, "live.acme.org": false, "": false, "localhost": false,
	} {
		assert.Equal(t, want, knowledge.PersonalDomain(domain), domain)
	}
}
