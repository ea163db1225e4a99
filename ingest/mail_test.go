package ingest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/ingest"
	"mneme/knowledge"
)

func parse(t *testing.T, mail string) *knowledge.Mail {
	t.Helper()
	m, err := ingest.ParseMail(strings.NewReader(strings.ReplaceAll(mail, "\n", "\r\n")))
	require.NoError(t, err)
	return m
}

func head(more ...string) string {
	return strings.Join(append([]string{"From: Jane Doe <jane@acme.com>", "To: bob@beta.io", "Subject: Plan", "Date: Mon, 2 Mar 2026 10:00:00 +0100", "Message-ID: <m1@acme.com>"}, more...), "\n") + "\n"
}

func TestE10_MailHeaders(t *testing.T) {
	t.Parallel()
	m := parse(t, head("Cc: \"Lee, Kim\" <kim@gamma.org>, =?UTF-8?B?546L5bCP5piO?= <wang@example.cn>", "References: <a@x> <b@x>", "In-Reply-To: <b@x>", "Auto-Submitted: no")+"\nHello\n")
	assert.Equal(t, knowledge.MailAddress{Name: "Jane Doe", Address: "jane@acme.com"}, m.From)
	assert.Equal(t, []knowledge.MailAddress{{Address: "bob@beta.io"}}, m.To)
	assert.Equal(t, []knowledge.MailAddress{{Name: "Lee, Kim", Address: "kim@gamma.org"}, {Name: "王小明", Address: "wang@example.cn"}}, m.Cc)
	assert.Equal(t, "m1@acme.com", m.MessageID)
	assert.Equal(t, []string{"a@x", "b@x"}, m.References)
	assert.Equal(t, []string{"b@x", "a@x"}, m.Ancestors())
	assert.Equal(t, "a@x", m.Root())
	assert.Equal(t, time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), *m.SentAt, "T17")
	assert.Equal(t, "Hello", m.Text)
	assert.Equal(t, "no", m.Headers["Auto-Submitted"])
	assert.Len(t, m.Participants(), 4)
}

func TestE10_Senders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, header string
		want         knowledge.MailAddress
	}{
		{"encoded words", "From: =?iso-8859-1?Q?J=F6rg_M=FCller?= <joerg@acme.de>", knowledge.MailAddress{Name: "Jörg Müller", Address: "joerg@acme.de"}},
		{"raw UTF-8", "From: Zoë Ångström <zoe@acme.se>", knowledge.MailAddress{Name: "Zoë Ångström", Address: "zoe@acme.se"}},
		{"Cyrillic in KOI8-R", "From: =?koi8-r?B?6dfBziDwxdTSz9c=?= <ivan@acme.ru>", knowledge.MailAddress{Name: "Иван Петров", Address: "ivan@acme.ru"}},
		{"quotes in quotes", `From: "'Jane Doe'" <jane@acme.com>`, knowledge.MailAddress{Name: "Jane Doe", Address: "jane@acme.com"}},
		{"the address as the name", `From: "jane@acme.com" <jane@acme.com>`, knowledge.MailAddress{Address: "jane@acme.com"}},
		{"an address alone", "From: jane@acme.com", knowledge.MailAddress{Address: "jane@acme.com"}},
		{"raw bytes in the mail's charset", "From: \xc9\xd7\xc1\xce <ivan@acme.ru>\nContent-Type: text/plain; charset=koi8-r", knowledge.MailAddress{Name: "иван", Address: "ivan@acme.ru"}},
		{"raw bytes of Western Europe", "From: J\xf6rg <joerg@acme.de>", knowledge.MailAddress{Name: "Jörg", Address: "joerg@acme.de"}},
		{"a remark behind the name", `From: "Jane Doe (Docs)" <jane@acme.com>`, knowledge.MailAddress{Name: "Jane Doe", Address: "jane@acme.com"}},
		{"a comment behind the name", `From: Pete(A nice \) chap) <pete@silly.test>`, knowledge.MailAddress{Name: "Pete", Address: "pete@silly.test"}},
		{"nothing but a remark", `From: "(Docs)" <docs@acme.com>`, knowledge.MailAddress{Name: "(Docs)", Address: "docs@acme.com"}},
		{"an old comment", "From: jane@acme.com (Jane Doe)", knowledge.MailAddress{Name: "Jane Doe", Address: "jane@acme.com"}},
		{"an unquoted comma", "From: Doe, Jane <jane@acme.com>", knowledge.MailAddress{Name: "Jane", Address: "jane@acme.com"}},
		{"a broken bracket", "From: Jane Doe <jane@acme.com", knowledge.MailAddress{Name: "Jane Doe", Address: "jane@acme.com"}},
		{"several", "From: Jane <jane@acme.com>, Bob <bob@acme.com>", knowledge.MailAddress{Name: "Jane", Address: "jane@acme.com"}},
		{"only a sender", "Sender: Jane <jane@acme.com>", knowledge.MailAddress{Name: "Jane", Address: "jane@acme.com"}},
		{"a list in the writer's place", "From: 'Jane Doe' via dev <dev@lists.acme.org>\nList-Id: <dev.lists.acme.org>\nX-Original-From: Jane Doe <jane@beta.io>", knowledge.MailAddress{Name: "Jane Doe", Address: "jane@beta.io"}},
		{"a list that hides the writer's address", "From: Jane Doe via dev <dev@lists.acme.org>\nList-Id: <dev.lists.acme.org>", knowledge.MailAddress{Name: "Jane Doe"}},
		{"via without a list", "From: Jane via Docs <docs@acme.com>", knowledge.MailAddress{Name: "Jane via Docs", Address: "docs@acme.com"}},
		{"folded", "From: Jane\n Doe\n <jane@acme.com>", knowledge.MailAddress{Name: "Jane Doe", Address: "jane@acme.com"}},
		{"none", "X: y", knowledge.MailAddress{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, parse(t, c.header+"\nSubject: x\n\nbody\n").From)
		})
	}
}

func TestE10_Dates(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, value := range []string{
		"Mon, 2 Mar 2026 10:00:00 +0100", "2 Mar 2026 10:00:00 +0100", "Mon, 02 Mar 2026 09:00:00 GMT", "Mon, 2 Mar 2026 10:00:00 +0100 (CET)", "Mon Mar  2 09:00:00 2026",
		"Mon, 2 Mar 26 10:00:00 +0100", "2026-03-02T10:00:00+01:00", "Mon, 2 March 2026 10:00:00 +0100",
	} {
		m := parse(t, "From: a@b.c\nDate: "+value+"\n\nx\n")
		require.NotNil(t, m.SentAt, value)
		assert.Equal(t, want, *m.SentAt, value)
	}
	m := parse(t, "Received: from a by b; Mon, 2 Mar 2026 10:00:00 +0100\nFrom: a@b.c\nDate: yesterday\n\nx\n")
	assert.Equal(t, want, *m.SentAt, "when a server got it")
	assert.Nil(t, parse(t, "From: a@b.c\n\nx\n").SentAt)
}

func TestE17_MessageIDs(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "m1@acme.com", parse(t, "From: a@b.c\nMessage-ID: m1@acme.com\n\nx\n").MessageID, "without brackets")
	none := "From: a@b.c\nSubject: s\n\nx\n"
	again := parse(t, none).MessageID
	assert.Equal(t, parse(t, none).MessageID, again)
	assert.NotEqual(t, parse(t, none).MessageID, parse(t, none+"y").MessageID)
}

func TestF3_MarkerAnywhere(t *testing.T) {
	t.Parallel()
	assert.True(t, parse(t, head()+"\nsecret <no-memory>\n").NoMemory)
	assert.True(t, parse(t, head()+"\nok\n\n> quoted <no-memory/>\n").NoMemory, "in what is quoted too")
	assert.True(t, parse(t, head("Content-Type: text/html")+"\n<p>hello < NO-MEMORY /></p>\n").NoMemory)
	assert.True(t, parse(t, head("Content-Type: text/html")+"\n<p>hello</p><no-memory>\n").NoMemory)
	assert.True(t, parse(t, head("Content-Transfer-Encoding: quoted-printable", "Content-Type: text/plain; charset=utf-8")+"\nsecret <no-me=\nmory>\n").NoMemory)
	assert.False(t, parse(t, head()+"\nno-memory\n").NoMemory)
}

func TestE10_OwnText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, want string }{
		{"English", "Yes.\n\nOn Mon, Mar 2, 2026 at 9:00 AM Bob <bob@beta.io> wrote:\n> Shall we?\n> Bob\n", "Yes."},
		{"English over two lines", "Yes.\n\nOn Mon, Mar 2, 2026 at 9:00 AM Bob Long Name\n<bob@beta.io> wrote:\n\n> Shall we?\n", "Yes."},
		{"German", "Ja.\n\nAm 02.03.2026 um 09:00 schrieb Bob <bob@beta.io>:\n> Sollen wir?\n", "Ja."},
		{"German the other way round", "Ja.\n\nBob schrieb am 2. März 2026 um 09:00:\n> Sollen wir?\n", "Ja."},
		{"French", "Oui.\n\nLe lun. 2 mars 2026 à 09:00, Bob <bob@beta.io> a écrit :\n> On y va ?\n", "Oui."},
		{"Spanish", "Sí.\n\nEl lun, 2 mar 2026 a las 9:00, Bob (<bob@beta.io>) escribió:\n> ¿Vamos?\n", "Sí."},
		{"between quoted lines", "On Monday, Bob wrote:\n> Shall we?\nYes.\n> When?\nToday.\n", "Yes.\nToday."},
		{"unmarked quotation", "Yes.\n\nOn Mon, Mar 2, 2026 Bob wrote:\n\nShall we?\n", "Yes."},
		{"Outlook in English", "Yes.\n\n-----Original Message-----\nFrom: Bob\nSent: Monday\nTo: Jane\nSubject: x\n\nShall we?\n", "Yes."},
		{"Outlook in German", "Ja.\n\nVon: Bob <bob@beta.io>\nGesendet: Montag, 2. März 2026 09:00\nAn: Jane\nBetreff: x\n\nSollen wir?\n", "Ja."},
		{"Outlook in French", "Oui.\n\nDe : Bob <bob@beta.io>\nEnvoyé : lundi\nÀ : Jane\nObjet : x\n\nOn y va ?\n", "Oui."},
		{"Outlook in Spanish", "Sí.\n\nDe: Bob\nEnviado el: lunes\nPara: Jane\nAsunto: x\n\n¿Vamos?\n", "Sí."},
		{"a separator in French", "Oui.\n\n----- Message d'origine -----\nOn y va ?\n", "Oui."},
		{"a signature", "Yes.\n\n-- \nJane Doe\nAcme\n", "Yes."},
		{"a telephone", "Yes.\n\nSent from my iPhone\n", "Yes."},
		{"a telephone in German", "Ja.\n\nVon meinem iPhone gesendet\n", "Ja."},
		{"a telephone in French", "Oui.\n\nEnvoyé de mon iPhone\n", "Oui."},
		{"a telephone in Spanish", "Sí.\n\nEnviado desde mi iPhone\n", "Sí."},
		{"a telephone above a quotation", "Yes.\n\nSent from my iPhone\n\n> Shall we?\n", "Yes."},
		{"a list's footer", "Yes.\n_______________________________________________\nDev mailing list\nhttps://lists.acme.org/listinfo/dev\n", "Yes."},
		{"prose that begins like an attribution", "On Monday we met.\nAm Montag nicht.\nLe chat dort.\nEl gato duerme.\n", "On Monday we met.\nAm Montag nicht.\nLe chat dort.\nEl gato duerme."},
		{"dashes in prose", "One\n--\n", "One"},
		{"a list of items", "- one\n-- two\n--- three\n", "- one\n-- two\n--- three"},
		{"nothing but a quotation", "> Shall we?\n", "> Shall we?"},
		{"a field named From", "From: 3 pm\nTo be sure.\n", "From: 3 pm\nTo be sure."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, parse(t, head("Content-Type: text/plain; charset=utf-8")+"\n"+c.body).Text)
		})
	}
}

func TestE10_ForwardedMailKeepsItsText(t *testing.T) {
	t.Parallel()
	m := parse(t, "From: Jane <jane@acme.com>\nSubject: Fwd: Offer\nContent-Type: text/plain; charset=utf-8\n\nSee below.\n\n---------- Forwarded message ---------\nFrom: Bob <bob@beta.io>\nDate: Mon, 2 Mar 2026\nSubject: Offer\nTo: Jane\n\nWe offer 5,000.\n")
	assert.Contains(t, m.Text, "See below.")
	assert.Contains(t, m.Text, "We offer 5,000.")
	assert.Equal(t, "jane@acme.com", m.From.Address)
	base, reply := knowledge.BaseSubject(m.Subject)
	assert.Equal(t, "Offer", base)
	assert.True(t, reply)
}

func TestE10_HTML(t *testing.T) {
	t.Parallel()
	m := parse(t, head("Content-Type: text/html; charset=utf-8")+`
<html><head><title>x</title><style>p {color: red}</style></head><body>
<div style="display:none">hidden preview</div><img src="https://t.example/pixel.gif" width="1" height="1">
<p>Dear <b>Bob</b>, the <a href="https://track.example/abc">price list</a> is here.</p>
<table><tr><th>Item</th><th>Price</th></tr><tr><td>Bolt</td><td>5</td></tr></table>
<script>alert(1)</script>
<div class="gmail_quote"><div class="gmail_attr">On Monday Bob wrote:</div><blockquote>Old text</blockquote></div>
</body></html>
`)
	assert.Contains(t, m.Text, "price list")
	assert.Contains(t, m.Text, "| Bolt")
	for _, not := range []string{"hidden", "track.example", "pixel", "alert", "Old text", "wrote", "color"} {
		assert.NotContains(t, m.Text, not)
	}
	both := parse(t, head("Content-Type: multipart/alternative; boundary=b")+"\n--b\nContent-Type: text/plain\n\nplain\n--b\nContent-Type: text/html\n\n<p>rich</p>\n--b--\n")
	assert.Equal(t, "plain", both.Text)
}

func TestE10_CharacterSets(t *testing.T) {
	t.Parallel()
	for charset, body := range map[string]string{
		"iso-8859-1": "Gr\xfc\xdfe", "windows-1252": "Gr\xfc\xdfe", "utf-8": "Grüße", "UTF8": "Grüße",
	} {
		assert.Equal(t, "Grüße", parse(t, head("Content-Type: text/plain; charset="+charset, "Content-Transfer-Encoding: 8bit")+"\n"+body+"\n").Text, charset)
	}
	assert.Equal(t, "会議は明日です", parse(t, head("Content-Type: text/plain; charset=iso-2022-jp", "Content-Transfer-Encoding: 7bit")+"\n\x1b$B2q5D$OL@F|$G$9\x1b(B\n").Text)
}

func TestE10_Invitation(t *testing.T) {
	t.Parallel()
	m := parse(t, head("Content-Type: multipart/alternative; boundary=b")+"\n--b\nContent-Type: text/plain\n\nPlease come.\n--b\nContent-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nDTSTART:19700101T000000\nEND:VTIMEZONE\nBEGIN:VEVENT\nSUMMARY:Budget\\, 2026\nDTSTART;TZID=Europe/Berlin:20260310T140000\nDTEND:20260310T150000Z\nLOCATION:Room\n  4\nEND:VEVENT\nEND:VCALENDAR\n--b--\n")
	assert.Equal(t, knowledge.MailInvitation, m.Kind)
	assert.Equal(t, "Please come.\n\nMeeting: Budget, 2026\nStart: 2026-03-10 14:00\nEnd: 2026-03-10 15:00 UTC\nPlace: Room 4", m.Text)
}

func TestE19_Bounce(t *testing.T) {
	t.Parallel()
	m := parse(t, "From: Mail Delivery Subsystem <mailer-daemon@acme.com>\nSubject: Undeliverable\nAuto-Submitted: auto-replied\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\nContent-Type: text/plain\n\nYour mail to kim@beta.io was not delivered.\n--b\nContent-Type: message/delivery-status\n\nStatus: 5.1.1\n--b--\n")
	assert.Equal(t, knowledge.MailBounce, m.Kind)
	e, err := m.Event("t").Checked()
	require.NoError(t, err)
	assert.Nil(t, e.Read().Person)
}

func TestE18_WhatIsNoMail(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"empty": "", "binary": "\x00\x01\x02\xff\xfe", "prose": "Just some text.\n\nMore text.\n", "JSON": `{"a": 1}`} {
		_, err := ingest.ParseMail(strings.NewReader(text))
		assert.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err), name)
	}
}

func TestE18_BrokenMails(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cut off":            head("Content-Type: multipart/mixed; boundary=b") + "\n--b\nContent-Type: text/plain\n\nHello",
		"no boundary":        head("Content-Type: multipart/mixed") + "\nHello\n",
		"wrong encoding":     head("Content-Transfer-Encoding: base64") + "\nHello there, this is not base64!\n",
		"unknown set":        head("Content-Type: text/plain; charset=klingon") + "\nHello\n",
		"broken header line": head("this is no header") + "\nHello\n",
		"Apple's file":       "123\n" + head() + "\nHello\n",
		"a From_ line":       "From jane@acme.com Mon Mar  2 10:00:00 2026\n" + head() + "\nHello\n",
		"old spaces":         "From  : Jane Doe <jane@acme.com>\nSubject   : x\n\nHello\n",
		"a leading space":    " " + head() + "\nHello\n",
		"a byte order mark":  "\ufeff" + head() + "\nHello\n",
	} {
		m, err := ingest.ParseMail(strings.NewReader(text))
		require.NoError(t, err, name)
		assert.Equal(t, "jane@acme.com", m.From.Address, name)
		assert.NotEmpty(t, m.MessageID, name)
	}
}

func TestE10_BaseSubject(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]string{
		"Plan": "Plan", "Re: Plan": "Plan", "RE: AW: Fwd: Plan": "Plan", "[dev] Re: [dev] Plan": "Plan", "Re[2]: Plan": "Plan", "Antw: WG: Plan": "Plan", "Réf : Plan": "Plan",
		"回复：计划": "计划", "Regarding: Plan": "Regarding: Plan", "Re:": "Re:", "": "", "SV: VS: Plan": "Plan",
	} {
		base, _ := knowledge.BaseSubject(subject)
		assert.Equal(t, want, base, subject)
	}
}

func FuzzE18_Mail(f *testing.F) {
	f.Add([]byte(head() + "\nHello\n"))
	f.Add([]byte(head("Content-Type: text/html") + "\n<p>Hello<blockquote type=cite>x\n"))
	f.Add([]byte("From: a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\n--b--"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := ingest.ParseMail(strings.NewReader(string(raw)))
		if err != nil {
			if knowledge.CodeOf(err) == knowledge.CodeInternal {
				t.Fatal(err)
			}
			return
		}
		if _, err := m.Event("thread").Checked(); err != nil {
			t.Fatalf("a mail gives an event that is refused: %v", err)
		}
	})
}

func TestE10_RawSubject(t *testing.T) {
	t.Parallel()
	raw := strings.ReplaceAll(head(), "Subject: Plan", "Subject: Forma\xe7\xe3o \x80 5")
	assert.Equal(t, "Formação € 5", parse(t, raw+"\nHello\n").Subject)
}
