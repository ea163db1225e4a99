package ingest

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"strings"
	"time"

	"mneme/knowledge"
)

// speakerType is the entity type of who speaks in a chat.
const speakerType = "person"

// Chat reads the lines of a chat, one turn each:
//
//	{"conversation": …, "session": …, "id": …, "speaker": …, "sentAt": …, "text": …, "caption": …}
//
// caption describes a picture that was shared. conversation, session and id are texts
// or numbers; session, sentAt and caption may be left out, and text where there is a
// caption. Other keys are passed over. One Chat reads one file.
type Chat struct {
	seed maphash.Seed
	said map[uint64]bool
}

// NewChat makes a reader for one file.
func NewChat() *Chat { return &Chat{seed: maphash.MakeSeed(), said: map[uint64]bool{}} }

// turn is one line of a chat.
type turn struct {
	Conversation label           `json:"conversation"`
	Session      label           `json:"session"`
	ID           label           `json:"id"`
	Speaker      string          `json:"speaker"`
	SentAt       json.RawMessage `json:"sentAt"`
	Text         string          `json:"text"`
	Caption      string          `json:"caption"`
}

// label is a text, or a number taken as one.
type label string

// UnmarshalJSON implements json.Unmarshaler.
func (l *label) UnmarshalJSON(b []byte) error {
	var text string
	var number json.Number
	switch {
	case string(b) == "null":
		return nil
	case json.Unmarshal(b, &text) == nil:
		*l = label(strings.TrimSpace(text))
	case json.Unmarshal(b, &number) == nil:
		*l = label(number)
	default:
		return knowledge.Invalid("", "conversation, session and id are texts or numbers")
	}
	return nil
}

// Decode reads a turn as an entry of its own: known by the turn's id, general (a speaker
// is mentioned, never a contact), true from when it was said. INVALID_INPUT names the
// field that is missing or wrong.
func (c *Chat) Decode(line []byte) (knowledge.EntryDraft, error) {
	var t turn
	if err := json.Unmarshal(line, &t); err != nil {
		return knowledge.EntryDraft{}, jsonError(err)
	}
	t.Speaker, t.Text, t.Caption = strings.TrimSpace(t.Speaker), strings.TrimSpace(t.Text), strings.TrimSpace(t.Caption)
	sentAt, err := dated("sentAt", t.SentAt)
	if err != nil {
		return knowledge.EntryDraft{}, err
	}
	switch {
	case t.ID == "":
		return knowledge.EntryDraft{}, knowledge.Invalid("id", "a turn has an id, by which it is known again")
	case t.Speaker == "":
		return knowledge.EntryDraft{}, knowledge.Invalid("speaker", "a turn has a speaker")
	case t.Text == "" && t.Caption == "":
		return knowledge.EntryDraft{}, knowledge.Invalid("text", "a turn has a text or the caption of a picture")
	}
	return knowledge.EntryDraft{
		Type:       knowledge.EntryFact,
		Title:      c.title(t, sentAt),
		Content:    t.content(),
		Source:     knowledge.SourceChat,
		SourceID:   string(t.ID),
		ThreadID:   t.thread(),
		Confidence: defaultConfidence,
		Mentions:   []knowledge.EntityRef{{Name: t.Speaker, Type: speakerType}},
		ValidFrom:  sentAt,
	}, nil
}

// title says who spoke and when. Where the same speaker says the same again at the same
// time, it has the turn's id too: equal titles and contents would become one entry (SPEC K21).
func (c *Chat) title(t turn, sentAt *time.Time) string {
	title := t.Speaker
	if sentAt != nil {
		title += ", " + sentAt.Format("2 January 2006 15:04")
	}
	said := maphash.String(c.seed, knowledge.ContentHash(title, t.content()))
	if c.said[said] {
		return fmt.Sprintf("%s (%s)", title, t.ID)
	}
	c.said[said] = true
	return title
}

func (t turn) content() string {
	if t.Caption == "" {
		return t.Text
	}
	return strings.TrimSpace(t.Text + "\nPicture: " + t.Caption)
}

// thread is the conversation, and its session where there are several.
func (t turn) thread() string {
	if t.Conversation == "" || t.Session == "" {
		return string(t.Conversation + t.Session)
	}
	return string(t.Conversation + "/" + t.Session)
}
