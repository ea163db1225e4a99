package knowledge

import (
	"regexp"
	"slices"
	"time"
)

// MailAddress is who sent or got a mail.
type MailAddress struct {
	Name    string
	Address string
}

// String is the address as it stands in a mail.
func (a MailAddress) String() string {
	switch {
	case a.Name == "":
		return a.Address
	case a.Address == "":
		return a.Name
	default:
		return a.Name + " <" + a.Address + ">"
	}
}

// MailKind is what a mail is, as far as its form tells.
type MailKind string

// Kinds of mail.
const (
	MailReceived   MailKind = "received"
	MailInvitation MailKind = "invitation"
	MailBounce     MailKind = "bounce"
)

// Mail is a mail as it was read.
type Mail struct {
	Kind       MailKind
	MessageID  string // never empty: what has none gets one from its content
	InReplyTo  string
	References []string // the conversation's messages, oldest first
	Subject    string
	Text       string // what its writer wrote, without quotations and signature
	SentAt     *time.Time
	From       MailAddress
	To         []MailAddress
	Cc         []MailAddress
	Headers    map[string]any // those that tell whether a machine wrote
	NoMemory   bool           // the subject or any text part carries the opt-out marker
	Truncated  bool           // the text was longer than a text may be
}

// replyPrefix is what mail programs put before the subject of an answer or a forwarded
// mail, in the languages of Europe and East Asia.
var replyPrefix = regexp.MustCompile(`(?i)^(?:re|r|aw|antw|antwort|wg|fwd?|fw|tr|rv|rif|res|enc|sv|vs|vb|vl|ynt|ilt|odp|pd|ref|réf|rép|atb|doorst|回复|回覆|答复|转发|轉寄|返信|転送|답장|전달)(?:\[\d+\]|\^\d+)?\s*[:：]\s*`)

// listPrefix is a mailing list's mark before a subject.
var listPrefix = regexp.MustCompile(`^\[[^\]]{1,40}\]\s*`)

// BaseSubject is a subject without the marks of answers, forwarded mails and lists; reply
// tells whether there was a mark of an answer or of a forwarded mail.
func BaseSubject(subject string) (base string, reply bool) {
	base = CollapseSpace(subject)
	for {
		rest := listPrefix.ReplaceAllString(base, "")
		if short := replyPrefix.ReplaceAllString(rest, ""); short != rest {
			reply, rest = true, short
		}
		if rest == base || rest == "" {
			return base, reply
		}
		base = rest
	}
}

// Ancestors are the messages that a mail answers, the nearest first.
func (m Mail) Ancestors() []string {
	var out []string
	if m.InReplyTo != "" {
		out = append(out, m.InReplyTo)
	}
	for _, id := range slices.Backward(m.References) {
		if !slices.Contains(out, id) && id != m.MessageID {
			out = append(out, id)
		}
	}
	return out
}

// Root is the oldest message of the mail's conversation that the mail itself names: its
// own id where it answers none.
func (m Mail) Root() string {
	if len(m.References) > 0 {
		return m.References[0]
	}
	return first(m.InReplyTo, m.MessageID)
}

// Event is the mail as something that happened in a mailbox, in a conversation.
func (m Mail) Event(threadID string) MailboxEvent {
	return MailboxEvent{
		Type: string(m.Kind), ID: m.MessageID, Fingerprint: m.MessageID, ThreadID: threadID, OccurredAt: m.SentAt, Subject: m.Subject,
		Summary: Ellipsis(CollapseSpace(m.Text), maxEventSummary), SenderName: m.From.Name, SenderEmail: m.From.Address, Headers: m.Headers,
	}
}

// Participants are everybody whom a mail names, the sender first, each address once.
func (m Mail) Participants() []MailAddress {
	var out []MailAddress
	seen := map[string]bool{}
	for _, a := range append(append([]MailAddress{m.From}, m.To...), m.Cc...) {
		key := NormalizeName(first(a.Address, a.Name))
		if key != "" && !seen[key] {
			seen[key] = true
			out = append(out, a)
		}
	}
	return out
}
