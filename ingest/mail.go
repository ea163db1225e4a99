package ingest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jhillyerd/enmime/v2"
	"golang.org/x/net/html/charset"

	"mneme/knowledge"
)

// MaxMail is the largest mail that is read, in bytes: what the large providers accept,
// with its attachments encoded.
const MaxMail = 50 << 20

// maxReferences bounds how much of a conversation's history one mail may name.
const maxReferences = 100

// ParseMail reads one mail, however ugly: broken headers, parts and character sets are
// made the best of. INVALID_INPUT for what is no mail at all, LIMIT_EXCEEDED for one that
// is larger than MaxMail.
func ParseMail(r io.Reader) (m *knowledge.Mail, err error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxMail+1))
	if err != nil {
		return nil, fmt.Errorf("read mail: %w", err)
	}
	if len(raw) > MaxMail {
		return nil, knowledge.Limit("", "the mail is larger than %d MiB", MaxMail>>20)
	}
	raw = unwrapped(raw)
	defer func() {
		// The parser meets whatever strangers send; what breaks it is a wrong mail.
		if cause := recover(); cause != nil {
			m, err = nil, knowledge.Invalid("", "the mail cannot be read").Because(fmt.Errorf("panic: %v", cause))
		}
	}()
	env, err := mailParser().ReadEnvelope(bytes.NewReader(raw))
	if err != nil {
		return nil, knowledge.Invalid("", "the mail cannot be read").Because(err)
	}
	if env.GetHeader("From") == "" && env.GetHeader("Date") == "" && env.GetHeader("Subject") == "" && env.GetHeader("Message-Id") == "" {
		return nil, knowledge.Invalid("", "this is no mail: it has neither a sender, a date, a subject nor an id")
	}
	return readEnvelope(env, raw), nil
}

func mailParser() *enmime.Parser {
	return enmime.NewParser(
		enmime.SkipMalformedParts(true),
		enmime.MultipartWOBoundaryAsSinglePart(true),
		enmime.StripMediaTypeInvalidCharacters(true),
		enmime.DisableTextConversion(true),
		enmime.MaxStoredPartErrors(10),
		enmime.SetReadPartErrorPolicy(func(*enmime.Part, error) bool { return true }),
	)
}

// emlxLength is the first line of an Apple mail file: the length of the mail.
var emlxLength = regexp.MustCompile(`^\d{1,12}\s*\n`)

// unwrapped takes away what mail programs store before a mail: a byte order mark, the
// length of an .emlx file, the From_ line of a mailbox, empty lines.
func unwrapped(raw []byte) []byte {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if m := emlxLength.Find(raw); m != nil {
		raw = raw[len(m):]
	}
	if bytes.HasPrefix(raw, []byte("From ")) && !spacedColon.Match(raw[:min(32, len(raw))]) {
		if end := bytes.IndexByte(raw, '\n'); end >= 0 {
			raw = raw[end+1:]
		}
	}
	head := raw
	if end := emptyLine.FindIndex(raw); end != nil {
		head = raw[:end[0]]
	}
	if !spacedColon.Match(head) {
		return raw
	}
	return append(spacedColon.ReplaceAll(head, []byte("$1:")), raw[len(head):]...)
}

var emptyLine = regexp.MustCompile(`\r?\n\r?\n`)

// spacedColon is a header's name as it was written before 1982.
var spacedColon = regexp.MustCompile(`(?im)^(from|to|date|subject|message-id|sender|received|return-path)[ \t]+:`)

func readEnvelope(env *enmime.Envelope, raw []byte) *knowledge.Mail {
	m := &knowledge.Mail{
		Kind: knowledge.MailReceived, Subject: clean(headerText(env, env.GetHeader("Subject")), knowledge.MaxNameLength),
		From: sender(env), To: addresses(env, "To"), Cc: addresses(env, "Cc"), SentAt: sentAt(env), Headers: tellingHeaders(env),
	}
	m.MessageID = messageID(env.GetHeader("Message-Id"))
	m.References = messageIDs(env.GetHeader("References"))
	if replied := messageIDs(env.GetHeader("In-Reply-To")); len(replied) > 0 {
		m.InReplyTo = replied[0]
	}
	if m.MessageID == "" {
		sum := sha256.Sum256(raw)
		m.MessageID = hex.EncodeToString(sum[:16]) + "@without-message-id"
	}
	m.References = slices.DeleteFunc(m.References, func(id string) bool { return id == m.MessageID })
	if m.InReplyTo == m.MessageID {
		m.InReplyTo = ""
	}
	m.NoMemory = knowledge.HasNoMemory(m.Subject, env.Text, env.HTML)
	text := mailText(env, m.Subject)
	if meeting := invitation(env); meeting != "" {
		m.Kind = knowledge.MailInvitation
		text = strings.TrimSpace(text + "\n\n" + meeting)
	}
	if strings.EqualFold(mediaType(env.Root), "multipart/report") {
		m.Kind = knowledge.MailBounce
	}
	m.Text = clean(text, knowledge.MaxTextLength)
	m.Truncated = utf8.RuneCountInString(text) > knowledge.MaxTextLength
	return m
}

func mediaType(p *enmime.Part) string {
	if p == nil {
		return ""
	}
	return p.ContentType
}

// clean is a text as it can be stored: valid, without control characters, at most n characters.
func clean(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' || r == '\u007f' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return knowledge.Ellipsis(strings.TrimSpace(s), n)
}

// sender is who wrote a mail: what From says, else Sender. A mailing list that puts
// itself in the sender's place names the writer elsewhere.
func sender(env *enmime.Envelope) knowledge.MailAddress {
	var from knowledge.MailAddress
	for _, header := range []string{"From", "Sender"} {
		if list := addresses(env, header); len(list) > 0 {
			from = list[0]
			break
		}
	}
	writer, _, rewritten := strings.Cut(from.Name, " via ")
	if !rewritten || env.GetHeader("List-Id") == "" {
		return from
	}
	from = knowledge.MailAddress{Name: trimQuotes(writer)}
	for _, header := range []string{"X-Original-From", "X-Original-Sender"} {
		if list := addressesIn(env.GetHeader(header)); len(list) > 0 {
			from.Address = list[0].Address
			break
		}
	}
	return from
}

// headerText is a header in UTF-8. Bytes that no encoded word explains, as old programs
// write them, are in the charset of the mail, or are taken for that of Western Europe.
func headerText(env *enmime.Envelope, value string) string {
	if utf8.ValidString(value) {
		return value
	}
	if env.Root != nil && env.Root.Charset != "" {
		if known, _ := charset.Lookup(env.Root.Charset); known != nil {
			if text, err := known.NewDecoder().String(value); err == nil && !strings.ContainsRune(text, utf8.RuneError) {
				return text
			}
		}
	}
	return decodeText([]byte(value))
}

func addresses(env *enmime.Envelope, header string) []knowledge.MailAddress {
	return addressesIn(headerText(env, strings.Join(env.GetHeaderValues(header), ", ")))
}

// bareAddress finds addresses in a header that follows no grammar.
var bareAddress = regexp.MustCompile(`[\p{L}\p{N}._%+'=/-]+@[\p{L}\p{N}.-]+`)

func addressesIn(value string) []knowledge.MailAddress {
	value = strings.TrimSpace(value)
	if value == "" {
		return nil
	}
	list, err := enmime.ParseAddressList(value)
	if err != nil {
		return salvaged(value)
	}
	out := make([]knowledge.MailAddress, 0, len(list))
	for _, a := range list {
		out = append(out, tidied(a))
	}
	return out
}

// salvaged reads addresses out of a header that cannot be parsed, one a piece between commas.
func salvaged(value string) []knowledge.MailAddress {
	var out []knowledge.MailAddress
	for _, piece := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ';' }) {
		address := bareAddress.FindString(piece)
		name, _, _ := strings.Cut(piece, "<")
		if address == "" && !strings.Contains(piece, "<") {
			continue // a group's name or a piece of a name
		}
		if name == piece {
			name = ""
		}
		if a := tidied(&mail.Address{Name: name, Address: address}); a.Name != "" || a.Address != "" {
			out = append(out, a)
		}
	}
	return out
}

// nameComment is a remark behind a name, such as the program that writes for somebody:
// "Jane Doe (Docs)" is Jane Doe.
var nameComment = regexp.MustCompile(`^(.*\S)\s*\((?:[^()\\]|\\.)*\)\s*$`)

func tidied(a *mail.Address) knowledge.MailAddress {
	out := knowledge.MailAddress{Name: trimQuotes(nameComment.ReplaceAllString(a.Name, "$1")), Address: clean(strings.Trim(a.Address, "<> \t"), knowledge.MaxNameLength)}
	if strings.EqualFold(out.Name, out.Address) || bareAddress.FindString(out.Name) == out.Name {
		out.Name = "" // an address is no name
	}
	return out
}

func trimQuotes(name string) string {
	return knowledge.CollapseSpace(strings.Trim(clean(name, knowledge.MaxNameLength), `"'`+"`"+` `))
}

var angleID = regexp.MustCompile(`<\s*([^<>\s]+)\s*>`)

// messageID is the id of a mail without its brackets; empty where there is none.
func messageID(value string) string {
	if ids := messageIDs(value); len(ids) > 0 {
		return ids[0]
	}
	return ""
}

// messageIDs are the ids in a header. Some programs leave the brackets out.
func messageIDs(value string) []string {
	var out []string
	keep := func(id string) {
		if id = clean(id, knowledge.MaxIDLength); id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for _, m := range angleID.FindAllStringSubmatch(value, -1) {
		keep(m[1])
	}
	if len(out) == 0 {
		for _, word := range strings.Fields(value) {
			if strings.Contains(word, "@") {
				keep(strings.Trim(word, "<>,;"))
			}
		}
	}
	if len(out) > maxReferences { // the root and the nearest say most
		out = append(out[:1], out[len(out)-maxReferences+1:]...)
	}
	return out
}

// sentAt is when a mail was sent: its Date, else when the last server got it.
func sentAt(env *enmime.Envelope) *time.Time {
	for _, value := range append([]string{env.GetHeader("Date")}, received(env)...) {
		if t, err := parseDate(value); err == nil {
			t = t.UTC().Truncate(time.Microsecond)
			return &t
		}
	}
	return nil
}

func received(env *enmime.Envelope) []string {
	var out []string
	for _, hop := range env.GetHeaderValues("Received") {
		if at := strings.LastIndexByte(hop, ';'); at >= 0 {
			out = append(out, hop[at+1:])
		}
	}
	return out
}

var errNoDate = errors.New("no date")

// looseDates are forms that mail programs write and RFC 5322 does not know.
var looseDates = []string{
	"Mon, 2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006 15:04:05", "2 Jan 2006 15:04:05", "Mon Jan 2 15:04:05 2006", "Mon Jan 2 15:04:05 MST 2006",
	"Mon, 2 January 2006 15:04:05 -0700", "Mon, 2 Jan 06 15:04:05 -0700", "Monday, January 2, 2006 3:04 PM", time.RFC3339, "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02",
}

var dateComment = regexp.MustCompile(`\s*\([^)]*\)`)

func parseDate(value string) (time.Time, error) {
	value = knowledge.CollapseSpace(dateComment.ReplaceAllString(value, ""))
	if value == "" {
		return time.Time{}, errNoDate
	}
	if t, err := mail.ParseDate(value); err == nil {
		return plausible(t)
	}
	for _, form := range looseDates {
		if t, err := time.Parse(form, value); err == nil {
			return plausible(t)
		}
	}
	return time.Time{}, errNoDate
}

// plausible rejects dates that no mail can have.
func plausible(t time.Time) (time.Time, error) {
	if t.Year() < 1971 || t.Year() > 2200 {
		return time.Time{}, errNoDate
	}
	return t, nil
}

// tellingHeaders are those by which a machine's mail is known (SPEC E19).
func tellingHeaders(env *enmime.Envelope) map[string]any {
	out := map[string]any{}
	for _, name := range []string{"Auto-Submitted", "Content-Type", "List-Id"} {
		if value := clean(env.GetHeader(name), knowledge.MaxNameLength); value != "" {
			out[name] = value
		}
	}
	return out
}
