package knowledge

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Sizes of what is remembered at once.
const (
	MaxRememberTurns = 100
	maxTitleRunes    = 80
)

// RememberDraft is what an agent wants kept after a turn: a text or turns of a talk, and
// what it is about (SPEC T21).
type RememberDraft struct {
	Text          string
	Turns         []Turn
	About         []EntityRef
	Type          EntryType
	Title         string
	ThreadID      string
	OccurredAt    *time.Time
	CreateMissing bool
	TaskID        string
}

// Turn is one thing that somebody said.
type Turn struct {
	ID      string
	Speaker string
	Text    string
	At      *time.Time
}

// Remembered is what became of a RememberDraft.
type Remembered struct {
	Entries    []*EntrySave
	Entities   []*EntityUpsert
	Relations  []*RelationSave
	Superseded []*Entry
	Job        *Job    // the extraction that follows; nil: none
	Skipped    *string // why nothing was written
}

// Checked is the draft in normal form; its errors name the fields of the input.
func (d RememberDraft) Checked() (RememberDraft, error) {
	if d.Type == "" {
		d.Type = EntryFact
	}
	if err := checkKinds(&d.Type, nil); err != nil {
		return d, err
	}
	d.Text, d.Title = strings.TrimSpace(d.Text), strings.TrimSpace(d.Title)
	switch {
	case d.Text == "" && len(d.Turns) == 0:
		return d, Invalid("text", "give a text or turns")
	case d.Text != "" && len(d.Turns) > 0:
		return d, Invalid("turns", "give a text or turns, not both")
	case len(d.Turns) > MaxRememberTurns:
		return d, Limit("turns", "has more than %d turns", MaxRememberTurns)
	case len(d.About) > MaxContacts:
		return d, Limit("about", "has more than %d entities", MaxContacts)
	}
	if err := CheckText("title", d.Title, MaxNameLength); err != nil {
		return d, err
	}
	turns := slices.Clone(d.Turns)
	for i := range turns {
		if err := turns[i].check(fmt.Sprintf("turns.%d", i)); err != nil {
			return d, err
		}
	}
	d.Turns = turns
	for i, ref := range d.About {
		var err error
		if d.About[i], err = ref.Checked(fmt.Sprintf("about.%d", i)); err != nil {
			return d, err
		}
	}
	if err := CheckText("text", d.Text, MaxTextLength); err != nil {
		return d, err
	}
	if err := checkOrigin("", d.TaskID); err != nil {
		return d, err
	}
	return d, CheckText("threadId", d.ThreadID, MaxIDLength)
}

func (t *Turn) check(field string) error {
	t.Speaker, t.Text = strings.TrimSpace(t.Speaker), strings.TrimSpace(t.Text)
	if t.Speaker == "" {
		return Invalid(field+".speaker", "must not be empty")
	}
	if t.Text == "" {
		return Invalid(field+".text", "must not be empty")
	}
	if err := CheckText(field+".speaker", t.Speaker, MaxTagLength); err != nil {
		return err
	}
	if err := CheckText(field+".id", t.ID, MaxIDLength); err != nil {
		return err
	}
	return CheckText(field+".text", t.Text, MaxTextLength)
}

// Texts are all texts of the draft, for the opt-out marker.
func (d RememberDraft) Texts() []string {
	texts := []string{d.Title, d.Text}
	for _, t := range d.Turns {
		texts = append(texts, t.Speaker, t.Text)
	}
	return texts
}

// Drafts are the entries of a checked draft, in its order: one of the text, or one a
// turn, titled by speaker and time. Turns that are equal keep apart by their ids.
func (d RememberDraft) Drafts() []EntryDraft {
	if len(d.Turns) == 0 {
		title := d.Title
		if title == "" {
			title = TitleOf(d.Text)
		}
		return []EntryDraft{{
			Type: d.Type, Title: title, Content: d.Text, Source: SourceManual, ThreadID: d.ThreadID, Confidence: DefaultEntryConfidence, ValidFrom: d.OccurredAt, TaskID: d.TaskID,
		}}
	}
	drafts := make([]EntryDraft, len(d.Turns))
	said := make(map[string]bool)
	for i, t := range d.Turns {
		at := t.At
		if at == nil {
			at = d.OccurredAt
		}
		title := t.Speaker
		if at != nil {
			title += ", " + at.UTC().Format("2 January 2006 15:04")
		}
		if hash := ContentHash(title, t.Text); said[hash] && t.ID != "" {
			title += " (" + t.ID + ")"
		} else {
			said[hash] = true
		}
		drafts[i] = EntryDraft{
			Type: d.Type, Title: title, Content: t.Text, Source: SourceChat, SourceID: t.ID, ThreadID: d.ThreadID, Confidence: DefaultEntryConfidence, ValidFrom: at, TaskID: d.TaskID,
		}
	}
	return drafts
}

// Said is all that the draft says, as one text: each turn on a line of its own, with its speaker.
func (d RememberDraft) Said() string {
	if len(d.Turns) == 0 {
		return strings.TrimSpace(d.Title + "\n" + d.Text)
	}
	lines := make([]string, len(d.Turns))
	for i, t := range d.Turns {
		lines[i] = t.Speaker + ": " + t.Text
	}
	return strings.Join(lines, "\n")
}

// TitleOf is a title for a text that has none: its first sentence or line, cut to 80 characters.
func TitleOf(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if end := sentenceEnd.FindStringIndex(first); end != nil && end[0] > 0 {
		first = first[:end[0]]
	}
	return Ellipsis(CollapseSpace(first), maxTitleRunes)
}

var sentenceEnd = regexp.MustCompile(`[.!?](?:\s|$)|[。！？]`)

// speakerRoles are what speakers are called that are nobody in particular.
var speakerRoles = []string{"user", "human", "assistant", "ai", "bot", "agent", "system", "tool", "model", "me", "you", "customer", "unknown"}

// Speakers are the names of the people who speak in the turns, each once: not those that
// name a role only.
func (d RememberDraft) Speakers() []string {
	var names []string
	for _, t := range d.Turns {
		if !slices.Contains(speakerRoles, NormalizeName(t.Speaker)) && !slices.ContainsFunc(names, func(n string) bool { return NormalizeName(n) == NormalizeName(t.Speaker) }) {
			names = append(names, t.Speaker)
		}
	}
	return names
}

// MissingEntity is the entity to be made for a reference that nothing answers to; false
// for an id, which names something that is there or nothing.
func (r EntityRef) MissingEntity() (EntityDraft, bool) {
	d := EntityDraft{Type: r.Type, Name: r.Name}
	if d.Type == "" {
		d.Type = TypePerson
	}
	if r.Identity != nil {
		d.Name, d.Identities = r.Identity.Value, []ContactIdentity{*r.Identity}
	}
	return d, r.ID == ""
}

// IsContact tells whether entries about an entity have it as a contact: a person or an
// organization. Others they mention.
func (e *Entity) IsContact() bool { return e.TypeKey == TypePerson || e.TypeKey == TypeOrganization }
