package knowledge

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DefaultEntryConfidence is that of an entry whose writer gives none (SPEC K5).
const DefaultEntryConfidence = 0.8

// maxExpiryDays bounds how far ahead an entry may expire: a hundred years.
const maxExpiryDays = 36_525

// MaxContacts is how many contacts, and how many mentions, a writer may give an entry.
const MaxContacts = 100

// Valid tells whether t is one of the seven kinds of knowledge (SPEC K1).
func (t EntryType) Valid() bool {
	switch t {
	case EntryFact, EntryDecision, EntryEvent, EntryPreference, EntryGoal, EntryRelationship, EntryActionItem:
		return true
	}
	return false
}

// Valid tells whether s is one of the five sources of knowledge (SPEC K2).
func (s EntrySource) Valid() bool {
	switch s {
	case SourceEmail, SourceChat, SourceManual, SourceFileText, SourceAgentExtracted:
		return true
	}
	return false
}

// Checked is the draft in normal form at now: trimmed, with its defaults, tags each
// once, the days until it expires turned into the moment. Its errors name the fields
// of the input (SPEC K5, K6). The references and the embedding are checked elsewhere.
func (d EntryDraft) Checked(now time.Time) (EntryDraft, error) {
	if d.Type == "" {
		d.Type = EntryFact
	}
	if d.Source == "" {
		d.Source = SourceManual
	}
	if err := checkKinds(&d.Type, &d.Source); err != nil {
		return d, err
	}
	var err error
	if d.Title, err = checkedTitle(d.Title); err != nil {
		return d, err
	}
	if d.Content, err = checkedContent(d.Content); err != nil {
		return d, err
	}
	if err := CheckConfidence("confidence", d.Confidence); err != nil {
		return d, err
	}
	if d.Tags, err = checkedTags(d.Tags); err != nil {
		return d, err
	}
	if err := checkOrigins(d); err != nil {
		return d, err
	}
	if len(d.Contacts) > MaxContacts || len(d.Mentions) > MaxContacts {
		return d, Limit("contacts", "an entry has at most %d contacts and %d mentions", MaxContacts, MaxContacts)
	}
	if d.ExpiresAt, err = checkedExpiry(d.ExpiresAt, d.ExpiresInDays, now); err != nil {
		return d, err
	}
	d.ExpiresInDays = nil
	d.ValidFrom, d.ValidTo = MomentOf(d.ValidFrom), MomentOf(d.ValidTo)
	if d.ValidFrom == nil {
		d.ValidFrom = &now
	}
	return d, checkInterval(d.ValidFrom, d.ValidTo)
}

func checkKinds(t *EntryType, s *EntrySource) error {
	if t != nil && !t.Valid() {
		return Invalid("type", "%q is not a type of entry", *t)
	}
	if s != nil && !s.Valid() {
		return Invalid("source", "%q is not a source of entries", *s)
	}
	return nil
}

func checkedTitle(title string) (string, error) {
	title = strings.TrimSpace(title)
	if title == "" {
		return title, Invalid("title", "must not be empty")
	}
	return title, CheckText("title", title, MaxNameLength)
}

func checkedContent(content string) (string, error) {
	content = strings.TrimSpace(content)
	if content == "" {
		return content, Invalid("content", "must not be empty")
	}
	return content, CheckText("content", content, MaxTextLength)
}

// checkedTags splits tags at commas, trims them and keeps each once, in order (SPEC K5).
func checkedTags(tags []string) ([]string, error) {
	out := []string{}
	for _, list := range tags {
		for tag := range strings.SplitSeq(list, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "" || slices.Contains(out, tag) {
				continue
			}
			if err := CheckText("tags", tag, MaxTagLength); err != nil {
				return nil, err
			}
			out = append(out, tag)
		}
	}
	if len(out) > MaxTags {
		return nil, Limit("tags", "has more than %d tags", MaxTags)
	}
	return out, nil
}

func checkOrigins(d EntryDraft) error {
	for _, id := range []struct{ field, value string }{
		{"sourceId", d.SourceID}, {"threadId", d.ThreadID}, {"docId", d.DocID}, {"taskId", d.TaskID},
	} {
		if err := CheckText(id.field, id.value, MaxIDLength); err != nil {
			return err
		}
	}
	return nil
}

// checkedExpiry is the moment at which something expires; nil is never (SPEC K5, K6, K11).
func checkedExpiry(at *time.Time, days *float64, now time.Time) (*time.Time, error) {
	if days != nil {
		if at != nil {
			return nil, Invalid("expiresInDays", "give expiresAt or expiresInDays, not both")
		}
		if math.IsNaN(*days) || *days <= 0 || *days > maxExpiryDays {
			return nil, Invalid("expiresInDays", "must be more than 0 and at most %d", maxExpiryDays)
		}
		expiry := now.Add(time.Duration(*days * float64(day)))
		at = &expiry
	}
	if at != nil && !at.After(now) {
		return nil, Invalid("expiresAt", "must be in the future")
	}
	return MomentOf(at), nil
}

func checkInterval(from, to *time.Time) error {
	if from != nil && to != nil && !from.Before(*to) {
		return Invalid("validTo", "must be later than validFrom")
	}
	return nil
}

// NewEntry is the entry that a checked draft makes (SPEC K5, K22).
func NewEntry(d EntryDraft, id, workspaceID string, contactIDs, mentionIDs []string, now time.Time) *Entry {
	e := &Entry{
		ID: id, WorkspaceID: workspaceID, Type: d.Type, Title: d.Title, Content: d.Content, Source: d.Source,
		SourceID: optional(d.SourceID), ThreadID: optional(d.ThreadID), Tags: d.Tags,
		ContactIDs: distinct(contactIDs), MentionIDs: distinct(mentionIDs),
		Confidence: d.Confidence, BaseConfidence: d.Confidence, LastValidatedAt: now,
		ExpiresAt: d.ExpiresAt, ValidFrom: d.ValidFrom, ValidTo: d.ValidTo,
		ContentHash: ContentHash(d.Title, d.Content), CreatedAt: now, UpdatedAt: now,
	}
	return e
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// distinct keeps the first of each.
func distinct(ids []string) []string {
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// Expired tells whether an entry is no more to be seen (SPEC K11).
func (e *Entry) Expired(now time.Time) bool { return e.ExpiresAt != nil && !e.ExpiresAt.After(now) }

// VisibleAt tells whether an entry was believed to be true at a moment (SPEC T22, T1).
// Whether it has expired is another question.
func (e *Entry) VisibleAt(at TimePoint, now time.Time) bool {
	if at.KnownAt != nil && e.CreatedAt.After(*at.KnownAt) {
		return false
	}
	if at.IncludeHistory {
		return true
	}
	return Interval{From: e.ValidFrom, To: e.endKnownAt(at.KnownAt)}.Contains(at.Moment(now))
}

// endKnownAt is the end that was believed at a moment of being told; nil is open.
func (e *Entry) endKnownAt(knownAt *time.Time) *time.Time {
	if knownAt == nil || e.InvalidatedAt == nil || !e.InvalidatedAt.After(*knownAt) {
		return e.ValidTo
	}
	var end *time.Time
	for _, p := range e.PriorEnds {
		if p.ToldAt.After(*knownAt) {
			break
		}
		end = p.At
	}
	return end
}

// Current tells whether an entry holds at now.
func (e *Entry) Current(now time.Time) bool { return e.VisibleAt(TimePoint{}, now) }

// EntryKey is how an entry that says the same is looked for (SPEC K20, K21).
type EntryKey struct {
	Source   EntrySource
	SourceID string // empty: no source to know it by
	Title    string
	Hash     string
}

// KeyOfEntry is the key by which an equal entry is found.
func KeyOfEntry(e *Entry) EntryKey {
	key := EntryKey{Source: e.Source, Title: e.Title, Hash: e.ContentHash}
	if e.SourceID != nil {
		key.SourceID = *e.SourceID
	}
	return key
}

// Locks are the names under which writers of equal entries must wait for each other.
func (k EntryKey) Locks(workspaceID string) []string {
	locks := []string{workspaceID + " hash " + k.Hash}
	if k.SourceID != "" {
		locks = append(locks, workspaceID+" source "+string(k.Source)+" "+strconv.Quote(k.SourceID)+" "+strconv.Quote(k.Title))
	}
	return locks
}

// MatchEntry finds the stored entry that a new one repeats; nil where it is new.
// First the one that the same source gave under the same title (SPEC K20); then one
// of the same content about the same contacts that still counts: not expired, and
// true now or over the same time (SPEC K21). Of several it is the oldest.
func MatchEntry(candidates []*Entry, incoming *Entry, now time.Time) *Entry {
	sorted := slices.Clone(candidates)
	slices.SortFunc(sorted, func(a, b *Entry) int { return strings.Compare(a.ID, b.ID) })
	if incoming.SourceID != nil {
		for _, c := range sorted {
			if c.Source == incoming.Source && c.SourceID != nil && *c.SourceID == *incoming.SourceID && c.Title == incoming.Title {
				return c
			}
		}
	}
	for _, c := range sorted {
		if c.ContentHash == incoming.ContentHash && sameSet(c.ContactIDs, incoming.ContactIDs) && !c.Expired(now) && (c.Current(now) || sameInterval(c, incoming)) {
			return c
		}
	}
	return nil
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

func sameInterval(a, b *Entry) bool {
	return Interval{From: a.ValidFrom, To: a.ValidTo}.Equal(Interval{From: b.ValidFrom, To: b.ValidTo})
}
