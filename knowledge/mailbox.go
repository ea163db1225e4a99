package knowledge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// Start confidences of what a mailbox gives (SPEC E10–E13).
const (
	MailboxPersonConfidence       = 0.82
	MailboxOrganizationConfidence = 0.72
	MailboxProjectConfidence      = 0.68
	MailboxWorksAtConfidence      = 0.72
	MailboxRelatedConfidence      = 0.70
)

// Kinds of identities that mail gives.
const (
	IdentityEmail  = "email"
	IdentityDomain = "domain"
)

const (
	maxEventSummary = 280 // characters of an observation's summary (SPEC E14)
	maxEventText    = 500 // characters of an observation (SPEC E14)
	mailboxSource   = "mailbox"
)

// MailboxEvent is one thing that happened in a mailbox, as its reader understood it.
type MailboxEvent struct {
	Type             string
	ID               string
	Fingerprint      string
	ThreadID         string
	OccurredAt       *time.Time
	Subject          string
	Summary          string
	Reason           string
	EvidenceRefs     []string
	CommitmentTitles []string
	ContactName      string
	ContactEmail     string
	SenderName       string
	SenderEmail      string
	Company          string
	Organization     string
	ProjectHint      string
	ProjectHints     []string
	ProjectNames     []string
	RelatedProjects  []string
	Headers          map[string]any // as they stand in the mail, by name
}

// MailboxReading is what an event says: up to three entities, and one remark for each.
type MailboxReading struct {
	Person       *EntityDraft
	Organization *EntityDraft
	Project      *EntityDraft
	Observation  string
	Fingerprint  string // of the remarks; empty: by their content
	Claim        string // what a redelivery of the event has in common with it
}

// Checked is the event with its strings trimmed and empty ones dropped; its errors name
// the fields of the input (SPEC E1).
func (e MailboxEvent) Checked() (MailboxEvent, error) {
	for _, f := range []struct {
		name  string
		value *string
		limit int
	}{
		{"type", &e.Type, MaxTagLength},
		{"id", &e.ID, MaxIDLength},
		{"fingerprint", &e.Fingerprint, MaxIDLength},
		{"threadId", &e.ThreadID, MaxIDLength},
		{"subject", &e.Subject, MaxTextLength},
		{"summary", &e.Summary, MaxTextLength},
		{"reason", &e.Reason, MaxTextLength},
		{"contactName", &e.ContactName, MaxNameLength},
		{"contactEmail", &e.ContactEmail, MaxNameLength},
		{"senderName", &e.SenderName, MaxNameLength},
		{"senderEmail", &e.SenderEmail, MaxNameLength},
		{"company", &e.Company, MaxNameLength},
		{"organization", &e.Organization, MaxNameLength},
		{"projectHint", &e.ProjectHint, MaxNameLength},
	} {
		*f.value = strings.TrimSpace(*f.value)
		if err := CheckText(f.name, *f.value, f.limit); err != nil {
			return e, err
		}
	}
	if e.Type == "" {
		return e, Invalid("type", "must not be empty")
	}
	for _, f := range []struct {
		name   string
		values *[]string
	}{
		{"evidenceRefs", &e.EvidenceRefs},
		{"commitmentTitles", &e.CommitmentTitles},
		{"projectHints", &e.ProjectHints},
		{"projectNames", &e.ProjectNames},
		{"relatedProjects", &e.RelatedProjects},
	} {
		kept, err := checkedTexts(f.name, *f.values)
		if err != nil {
			return e, err
		}
		*f.values = kept
	}
	return e, CheckProperties("headers", e.Headers)
}

func checkedTexts(field string, texts []string) ([]string, error) {
	if len(texts) > MaxPage {
		return nil, Limit(field, "has more than %d texts", MaxPage)
	}
	var kept []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if err := CheckText(field, text, MaxNameLength); err != nil {
			return nil, err
		}
		kept = append(kept, text)
	}
	return kept, nil
}

// NoMemory tells whether the event carries the opt-out marker (SPEC F4).
func (e MailboxEvent) NoMemory() bool {
	texts := append([]string{e.Subject, e.Summary, e.Reason}, e.hints()...)
	return HasNoMemory(append(texts, e.CommitmentTitles...)...)
}

// hints are the projects that the event may be about, the best guess first (SPEC E1).
func (e MailboxEvent) hints() []string {
	var out []string
	if e.ProjectHint != "" {
		out = append(out, e.ProjectHint)
	}
	return append(append(append(out, e.ProjectHints...), e.ProjectNames...), e.RelatedProjects...)
}

// Read says what the event gives. The event is to be checked before (SPEC E10–E15).
func (e MailboxEvent) Read() MailboxReading {
	r := MailboxReading{Observation: e.observation(), Claim: e.claim()}
	if id := first(e.Fingerprint, e.ID); id != "" {
		r.Fingerprint = mailboxSource + ":" + e.Type + ":" + id
	}
	email, name := first(e.ContactEmail, e.SenderEmail), first(e.ContactName, e.SenderName)
	r.Person = e.person(email, name)
	r.Organization = e.organization(email)
	r.Project = e.project()
	return r
}

func (e MailboxEvent) person(email, name string) *EntityDraft {
	if email == "" && name == "" || AutomatedAddress(email) || AutomatedHeaders(e.Headers) {
		return nil
	}
	d := e.draft(TypePerson, first(name, email), PersonDescription(email, name), MailboxPersonConfidence)
	note(d.Properties, "email", email)
	note(d.Properties, "threadId", e.ThreadID)
	if MailDomain(email) != "" {
		d.Identities = []ContactIdentity{{Kind: IdentityEmail, Value: MailIdentity(email)}}
	}
	return d
}

func (e MailboxEvent) organization(email string) *EntityDraft {
	domain := MailDomain(email)
	if PersonalDomain(domain) {
		domain = ""
	}
	derived := DomainOrganization(domain)
	explicit := first(e.Company, e.Organization)
	name := first(explicit, derived)
	if utf8.RuneCountInString(name) < 2 {
		return nil
	}
	d := e.draft(TypeOrganization, name, OrganizationDescription(domain), MailboxOrganizationConfidence)
	note(d.Properties, "domain", domain)
	// A company that only wrote from the domain does not own it: the domain identifies the
	// organisation whose name it bears.
	if derived != "" && (explicit == "" || bears(explicit, derived)) {
		d.Identities = []ContactIdentity{{Kind: IdentityDomain, Value: RegistrableDomain(domain)}}
	}
	return d
}

// bears tells whether a company's name begins with, or as one word is, a domain's label.
func bears(company, label string) bool {
	slug, label := Slug(company), Slug(label)
	return slug == label || strings.HasPrefix(slug, label+"-") || strings.ReplaceAll(slug, "-", "") == strings.ReplaceAll(label, "-", "")
}

func (e MailboxEvent) project() *EntityDraft {
	hints := e.hints()
	if len(hints) == 0 || utf8.RuneCountInString(hints[0]) <= 2 {
		return nil
	}
	d := e.draft(TypeProject, hints[0], "Project named in mail", MailboxProjectConfidence)
	note(d.Properties, "threadId", e.ThreadID)
	note(d.Properties, "subject", e.Subject)
	return d
}

func (e MailboxEvent) draft(typ, name, description string, confidence float64) *EntityDraft {
	return &EntityDraft{
		Type: typ, Name: name, Description: &description, Confidence: &confidence, Source: ActorAuto, TaskID: e.ThreadID,
		Properties: map[string]any{"source": mailboxSource},
	}
}

// MailIdentity is a mail address in the form in which it identifies a person.
func MailIdentity(address string) string {
	local, _, _ := strings.Cut(strings.TrimSpace(address), "@")
	return local + "@" + MailDomain(address)
}

// PersonDescription is the generated description of a person known from mail: it names the
// address, or the display name without one (SPEC E10).
func PersonDescription(email, name string) string { return "Mail contact " + first(email, name) }

// OrganizationDescription is the generated description of an organisation known from mail.
func OrganizationDescription(domain string) string {
	if domain == "" {
		return "Organization named in mail"
	}
	return "Organization that writes from " + domain
}

// observation is the remark that the event leaves on what it is about (SPEC E14).
func (e MailboxEvent) observation() string {
	parts := []string{e.Type}
	if summary := CollapseSpace(strings.Join([]string{e.Subject, e.Summary, e.Reason}, " ")); summary != "" {
		parts = append(parts, Ellipsis(summary, maxEventSummary))
	}
	if len(e.EvidenceRefs) > 0 {
		parts = append(parts, strings.Join(e.EvidenceRefs, ", "))
	}
	if len(e.CommitmentTitles) > 0 {
		parts = append(parts, strings.Join(e.CommitmentTitles, " | "))
	}
	return Ellipsis(strings.Join(parts, " · "), maxEventText)
}

// claim is what makes two deliveries one event: its type with its fingerprint or id, else
// with everything that it says (SPEC E17).
func (e MailboxEvent) claim() string {
	if id := first(e.Fingerprint, e.ID); id != "" {
		return e.Type + "\n" + id
	}
	encoded, err := json.Marshal(e)
	if err != nil {
		encoded = []byte(e.observation()) // the headers were checked to be JSON
	}
	sum := sha256.Sum256(encoded)
	return e.Type + "\ncontent:" + hex.EncodeToString(sum[:])
}

// Ellipsis is a text of at most n characters: one that is longer is cut and ends with "…".
func Ellipsis(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return strings.TrimRight(truncateRunes(text, n-1), " ") + "…"
}

// first is the first text that is not empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func note(properties map[string]any, key, value string) {
	if value != "" {
		properties[key] = value
	}
}
